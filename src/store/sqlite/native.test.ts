import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { extractNativeFiles, type NativeFiles } from "./native.ts";

const OTHER_USER = 12_345;
const OWN_USER = process.getuid?.() ?? 0;

const content = (name: string) => Buffer.from(`the bytes of ${name}`);

function places() {
  const folder = mkdtempSync(join(tmpdir(), "troupe-native-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [cache, temporary] = [join(folder, "cache"), join(folder, "tmp")];
  mkdirSync(temporary);
  // As the system's own is: everybody may make what nobody else may rename.
  chmodSync(temporary, 0o1777);
  return { cache, temporary, guessable: join(temporary, `troupe-${OWN_USER}`) };
}

const extract = (folders: { cache: string; temporary: string }) =>
  extractNativeFiles(content, folders);

/** Only root can give a folder away; a link to one that would do is as little ours. */
function makeForeign(folder: string): void {
  const target = OWN_USER === 0 ? folder : `${folder}.target`;
  mkdirSync(target, { recursive: true, mode: 0o700 });
  if (OWN_USER === 0) chownSync(folder, OTHER_USER, OTHER_USER);
  else symlinkSync(target, folder);
}

/** Where the files of one attempt are, two levels up. */
const homeOf = ({ addon }: NativeFiles) => dirname(dirname(addon));

describe("native files are unpacked", () => {
  test("into the user's cache, each level for this user alone", () => {
    const { cache, temporary } = places();
    const files = extract({ cache, temporary });
    expect(homeOf(files)).toBe(join(cache, "troupe"));
    for (const file of Object.values(files)) {
      expect(readFileSync(file)).toEqual(content(`native/${basename(file)}`));
      for (const level of [file, dirname(file), join(cache, "troupe"), cache])
        expect(statSync(level).mode & 0o777).toBe(0o700);
    }
    expect(readdirSync(temporary)).toEqual([]);
    expect(extract({ cache, temporary })).toEqual(files);
  });

  test("elsewhere, when the cache's folder is somebody else's or a link", () => {
    const { cache, ...rest } = places();
    makeForeign(join(cache, "troupe"));
    expect(homeOf(extract({ cache, ...rest }))).toBe(rest.guessable);

    const linked = `${cache}-linked`;
    mkdirSync(linked);
    mkdirSync(`${linked}.target`, { mode: 0o700 });
    symlinkSync(`${linked}.target`, join(linked, "troupe"));
    expect(homeOf(extract({ cache: linked, ...rest }))).toBe(rest.guessable);
    expect(readdirSync(`${linked}.target`)).toEqual([]);
  });

  test("elsewhere, when the folder of one file is somebody else's", () => {
    const { cache, temporary, guessable } = places();
    const folder = dirname(extract({ cache, temporary }).vector);
    rmSync(folder, { recursive: true });
    makeForeign(folder);
    expect(homeOf(extract({ cache, temporary }))).toBe(guessable);
  });

  test("elsewhere, when a folder is not named from the root", () => {
    const { temporary, guessable } = places();
    expect(homeOf(extract({ cache: "cache", temporary }))).toBe(guessable);
    expect(existsSync("cache")).toBe(false);
  });

  test.each([
    ["somebody else's", makeForeign],
    ["a link", (folder: string) => symlinkSync(dirname(folder), folder)],
    ["a link to nowhere", (folder: string) => symlinkSync("/nowhere/at/all", folder)],
    ["a file", (folder: string) => writeFileSync(folder, "")],
  ])("under a name that nobody can guess, when the temporary one is %s", (_what, make) => {
    const { temporary, guessable } = places();
    make(guessable);
    const before = readdirSync(temporary);
    const home = homeOf(extract({ cache: "/proc/no-cache", temporary }));
    expect(home).not.toBe(guessable);
    expect(dirname(home)).toBe(temporary);
    expect(before).not.toContain(basename(home));
    expect(lstatSync(home)).toMatchObject({ uid: OWN_USER });
    expect(lstatSync(home).mode & 0o777).toBe(0o700);
  });

  test("in a folder of ours that others could write to, after closing it to them", () => {
    const { temporary, guessable } = places();
    mkdirSync(guessable);
    chmodSync(guessable, 0o777);
    expect(homeOf(extract({ cache: "/proc/no-cache", temporary }))).toBe(guessable);
    expect(statSync(guessable).mode & 0o777).toBe(0o700);
  });

  test("nowhere, with the reason for every folder", () => {
    const { cache } = places();
    makeForeign(join(cache, "troupe"));
    const reason = OWN_USER === 0 ? "belongs to another user" : "is a symbolic link";
    expect(() => extract({ cache, temporary: "/proc/no-temporary" })).toThrow(
      new RegExp(`cache/troupe ${reason}; .*no-temporary.*; .*no-temporary`),
    );
  });
});

describe("a native file that is there already", () => {
  test.each([
    ["was changed", (file: string) => writeFileSync(file, "not what it was")],
    ["can be changed by others", (file: string) => chmodSync(file, 0o777)],
    ["is a link", linkToCopy],
    ["is a link to nowhere", (file: string) => replaceWithLink(file, "/nowhere/at/all")],
  ])("and %s is replaced", (_what, damage) => {
    const { cache, temporary } = places();
    const { addon } = extract({ cache, temporary });
    damage(addon);
    expect(extract({ cache, temporary }).addon).toBe(addon);
    expect(readFileSync(addon)).toEqual(content(`native/${basename(addon)}`));
    expect(lstatSync(addon).isFile()).toBe(true);
    expect(lstatSync(addon).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(addon))).toHaveLength(1);
  });

  test("and is ours and the same is left alone", () => {
    const { cache, temporary } = places();
    const { addon } = extract({ cache, temporary });
    const before = statSync(addon).ino;
    extract({ cache, temporary });
    expect(statSync(addon).ino).toBe(before);
  });
});

/** The bytes are right at this moment; whose they are is another matter. */
function linkToCopy(file: string): void {
  const copy = join(dirname(file), "..", "copy");
  writeFileSync(copy, readFileSync(file));
  replaceWithLink(file, copy);
}

function replaceWithLink(file: string, target: string): void {
  rmSync(file);
  symlinkSync(target, file);
}

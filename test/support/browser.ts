import { existsSync } from "node:fs";
import { type Browser, launch, type Page } from "puppeteer-core";
import { onTestFinished } from "vitest";

/** A browser of the machine's: Debian's, or another that is named. */
export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const hasBrowser = existsSync(CHROMIUM);

export interface Visit {
  readonly page: Page;
  /** What the browser itself complained about: scripts that failed, what a policy kept out. */
  readonly complaints: string[];
}

/** A new window of a new browser, without anything remembered. */
export async function openBrowser(): Promise<Visit> {
  const browser: Browser = await launch({
    executablePath: CHROMIUM,
    // Containers run as root, where the sandbox of Chromium does not work.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (entry) => {
    if (entry.type() === "error") complaints.push(entry.text());
  });
  return { page, complaints };
}

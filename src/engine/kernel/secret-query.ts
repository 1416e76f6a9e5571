/** In maps that hold all kinds of values, names tell which are secret; authors and keywords are not. */
export const isSecretName = (name: string): boolean =>
  /key(?!word)|token|secret|passw|credential|auth(?!ors?(?![a-z]))|cookie|^sig(nature)?$/i.test(
    name,
  );

/**
 * An address with other values for those parameters of its query whose names say that they are secret. All
 * the rest stays as it is written, also what is a template; values are given and taken as they are written.
 */
export function mapSecretQuery(
  url: string,
  change: (value: string, parameter: string) => string,
): string {
  const [, start = url, query = "", end = ""] = /^([^?#]*\?)([^#]*)(.*)$/s.exec(url) ?? [];
  if (query === "") return url;
  const pairs = query.split("&").map((pair) => {
    const [, name = "", value] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    if (value === undefined || !isSecretName(decoded(name))) return pair;
    return `${name}=${change(value, decoded(name))}`;
  });
  return start + pairs.join("&") + end;
}

/** A part of a query as it is meant; as it is written, where that is no encoding. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Whether a list matches a pattern of parts, in which `wildcard` matches any number of items. It backtracks only to the last
 * wildcard, so its time is at most the product of both lengths.
 */
export function matchesPattern<Item>(
  parts: readonly string[],
  items: readonly Item[],
  wildcard: string,
  matches: (part: string, item: Item) => boolean,
): boolean {
  let part = 0
  let item = 0
  /** The part after the last wildcard; -1 before the first wildcard. */
  let partAfterWildcard = -1
  /** The first item that the last wildcard does not cover. */
  let itemAfterWildcard = 0
  while (item < items.length) {
    if (part < parts.length && parts[part] === wildcard) {
      partAfterWildcard = ++part
      itemAfterWildcard = item
    } else if (part < parts.length && matches(parts[part]!, items[item]!)) {
      part++
      item++
    } else if (partAfterWildcard >= 0) {
      part = partAfterWildcard
      item = ++itemAfterWildcard
    } else return false
  }
  while (parts[part] === wildcard) part++
  return part === parts.length
}

/** Whether a text matches a pattern, in which `*` matches any characters. */
export function matchesGlob(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text
  return matchesPattern([...pattern], [...text], '*', (part, item) => part === item)
}

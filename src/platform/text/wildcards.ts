/** How the parts of a pattern match: a wildcard matches any number of items, and every other part matches one item. */
type PartMatcher<Part, Item> = { isWildcard: (part: Part) => boolean; matchesItem: (part: Part, item: Item) => boolean }

/**
 * Whether a list matches a pattern of parts. It backtracks only to the last wildcard, so its time is at most the product of
 * both lengths.
 */
export function matchesParts<Part, Item>(
  parts: readonly Part[],
  items: readonly Item[],
  { isWildcard, matchesItem }: PartMatcher<Part, Item>,
): boolean {
  let part = 0
  let item = 0
  /** The part after the last wildcard; -1 before the first wildcard. */
  let partAfterWildcard = -1
  /** The first item that the last wildcard does not cover. */
  let itemAfterWildcard = 0
  while (item < items.length) {
    if (part < parts.length && isWildcard(parts[part]!)) {
      partAfterWildcard = ++part
      itemAfterWildcard = item
    } else if (part < parts.length && matchesItem(parts[part]!, items[item]!)) {
      part++
      item++
    } else if (partAfterWildcard >= 0) {
      part = partAfterWildcard
      item = ++itemAfterWildcard
    } else return false
  }
  while (part < parts.length && isWildcard(parts[part]!)) part++
  return part === parts.length
}

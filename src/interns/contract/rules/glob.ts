/**
 * Whether a list matches a pattern of parts, in which `any` matches any number of items. It backtracks only to the last `any`,
 * so its time is at most the product of both lengths.
 */
export function matchesPattern<Item>(
  parts: readonly string[],
  items: readonly Item[],
  any: string,
  matches: (part: string, item: Item) => boolean,
): boolean {
  let [part, item] = [0, 0]
  let [wildcardEnd, wildcardLength] = [-1, 0]
  while (item < items.length) {
    if (part < parts.length && parts[part] === any) {
      wildcardEnd = ++part
      wildcardLength = item
    } else if (part < parts.length && matches(parts[part]!, items[item]!)) {
      part++
      item++
    } else if (wildcardEnd >= 0) {
      part = wildcardEnd
      item = ++wildcardLength
    } else return false
  }
  while (parts[part] === any) part++
  return part === parts.length
}

/** Whether a text matches a pattern, in which `*` matches any characters. */
export function matchesGlob(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text
  return matchesPattern([...pattern], [...text], '*', (part, item) => part === item)
}

/**
 * Whether a list is what a pattern of parts says, of which `any` stands for any number of items. It goes back to the last
 * `any` alone, so its time is at most the product of both lengths, whatever somebody makes up.
 */
export function matchesList<Item>(
  parts: readonly string[],
  items: readonly Item[],
  any: string,
  matches: (part: string, item: Item) => boolean,
): boolean {
  let [part, item] = [0, 0]
  let [behindAny, taken] = [-1, 0]
  while (item < items.length) {
    if (part < parts.length && parts[part] === any) {
      behindAny = ++part
      taken = item
    } else if (part < parts.length && matches(parts[part]!, items[item]!)) {
      part++
      item++
    } else if (behindAny >= 0) {
      part = behindAny
      item = ++taken
    } else return false
  }
  while (parts[part] === any) part++
  return part === parts.length
}

/** Whether a text is what a pattern says, in which `*` is any run of characters. */
export function matchesGlob(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text
  return matchesList([...pattern], [...text], '*', (part, item) => part === item)
}

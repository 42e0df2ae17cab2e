/**
 * Changes the texts at a path of a value, `*` standing for each item of an array: `tools.*.name`. Returns the value itself
 * where no text changes, so that an unchanged body can be sent as the bytes it came in.
 */
export function mapTexts(
  value: unknown,
  path: readonly string[],
  change: (text: string) => string,
  depth = 0,
): unknown {
  const name = path[depth]
  if (name === undefined) return typeof value === 'string' ? change(value) : value
  if (name === '*') return Array.isArray(value) ? mapTextsOfItems(value, path, change, depth + 1) : value
  if (typeof value !== 'object' || value === null) return value
  const before = (value as Record<string, unknown>)[name]
  if (before === undefined || !Object.hasOwn(value, name)) return value
  const after = mapTexts(before, path, change, depth + 1)
  return after === before ? value : { ...value, [name]: after }
}

/** Without `mapItems`, whose callback would be a new function for each of many short arrays. */
function mapTextsOfItems(
  items: unknown[],
  path: readonly string[],
  change: (text: string) => string,
  depth: number,
): unknown[] {
  let changed: unknown[] | undefined
  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    const next = mapTexts(item, path, change, depth)
    if (next === item) continue
    changed ??= [...items]
    changed[index] = next
  }
  return changed ?? items
}

/** Like `map` of an array, but returns the array itself where no item changes. */
export function mapItems<Item>(items: Item[], change: (item: Item, index: number) => Item): Item[] {
  let changed: Item[] | undefined
  // An iterator of entries would allocate an array for each item.
  for (let index = 0; index < items.length; index++) {
    const item = items[index]!
    const next = change(item, index)
    if (next === item) continue
    changed ??= [...items]
    changed[index] = next
  }
  return changed ?? items
}

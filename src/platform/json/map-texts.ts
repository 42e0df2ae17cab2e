/**
 * Changes the strings at a path, such as `tools.*.name` where `*` is each item of an array. Returns the same object if no
 * string changes, so that the caller can forward the received bytes.
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
  const fieldValue = (value as Record<string, unknown>)[name]
  if (fieldValue === undefined || !Object.hasOwn(value, name)) return value
  const changedValue = mapTexts(fieldValue, path, change, depth + 1)
  return changedValue === fieldValue ? value : { ...value, [name]: changedValue }
}

/** Does not use `mapItems`, which would create a callback for each of many short arrays. */
function mapTextsOfItems(
  items: unknown[],
  path: readonly string[],
  change: (text: string) => string,
  depth: number,
): unknown[] {
  let changed: unknown[] | undefined
  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    const changedItem = mapTexts(item, path, change, depth)
    if (changedItem === item) continue
    changed ??= [...items]
    changed[index] = changedItem
  }
  return changed ?? items
}

/** Like `Array.map`, but returns the same array if no item changes. */
export function mapItems<Item>(items: Item[], change: (item: Item, index: number) => Item): Item[] {
  let changed: Item[] | undefined
  // An iterator of entries would allocate an array for each item.
  for (let index = 0; index < items.length; index++) {
    const item = items[index]!
    const changedItem = change(item, index)
    if (changedItem === item) continue
    changed ??= [...items]
    changed[index] = changedItem
  }
  return changed ?? items
}

/** Appends the items of one list to another. Unlike `push(...items)` it does not overflow the stack on long lists. */
export function pushAll<Item>(list: Item[], items: readonly Item[]): void {
  for (const item of items) list.push(item)
}

import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

/** Items that the mounted components contribute, such as keyboard shortcuts; those of the latest component come last. */
export function createRegistry<Item>() {
  const sources = signal<readonly (() => Item[])[]>([])

  /** Registers items while the component is mounted. */
  function useItems(componentItems: Item[]): void {
    const latest = useRef(componentItems)
    latest.current = componentItems
    useEffect(() => {
      const source = () => latest.current
      sources.value = [...sources.peek(), source]
      return () => {
        sources.value = sources.peek().filter((one) => one !== source)
      }
    }, [])
  }

  return { useItems, list: (): Item[] => sources.value.flatMap((source) => source()) }
}

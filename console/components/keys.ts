import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

/** A key and what it does here; `says` stands in the list that `?` shows. */
export type Binding = { key: string; says: string; act: (event: KeyboardEvent) => void }

const layers = signal<readonly (() => Binding[])[]>([])

/** All that keys do now. */
export const bindings = (): Binding[] => layers.value.flatMap((layer) => layer())

/** While the component is there, these keys are its own; of two for one key the later component has it. */
export function useKeys(own: Binding[]): void {
  const latest = useRef(own)
  latest.current = own
  useEffect(() => {
    const layer = () => latest.current
    layers.value = [...layers.peek(), layer]
    return () => {
      layers.value = layers.peek().filter((one) => one !== layer)
    }
  }, [])
}

/** `Ctrl-K`, `A`, `/`, `Escape`: as bindings name them. */
function nameOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string | undefined {
  if (altKey) return undefined
  return ctrlKey || metaKey ? `Ctrl-${key.toUpperCase()}` : key
}

/** Who types means letters. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

function press(event: KeyboardEvent): void {
  const name = nameOf(event)
  if (name === undefined || event.defaultPrevented) return
  const isCommand = name.startsWith('Ctrl-')
  if (isTyping(event.target) && !isCommand && name !== 'Escape') return
  if (!isCommand && document.querySelector('dialog[open]')) return
  if (name === 'Enter' && event.target instanceof HTMLElement && event.target.closest('a, button, summary')) return
  const binding = bindings().findLast(({ key }) => key === name)
  if (!binding) return
  event.preventDefault()
  binding.act(event)
}

if (typeof document !== 'undefined') document.addEventListener('keydown', press)

import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

/** A keyboard shortcut. `description` is its text in the list that `?` opens. */
export type Binding = { key: string; description: string; act: (event: KeyboardEvent) => void }

const layers = signal<readonly (() => Binding[])[]>([])

/** All active shortcuts. */
export const bindings = (): Binding[] => layers.value.flatMap((layer) => layer())

/** Registers shortcuts while the component is mounted. The latest component wins. */
export function useKeys(componentBindings: Binding[]): void {
  const latest = useRef(componentBindings)
  latest.current = componentBindings
  useEffect(() => {
    const layer = () => latest.current
    layers.value = [...layers.peek(), layer]
    return () => {
      layers.value = layers.peek().filter((one) => one !== layer)
    }
  }, [])
}

/** The name of a key in bindings: `Ctrl-K`, `A`, `/`, `Escape`. */
function bindingKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string | undefined {
  if (altKey) return undefined
  return ctrlKey || metaKey ? `Ctrl-${key.toUpperCase()}` : key
}

/** Whether the target is a text input, in which keys are text. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

function onKeyDown(event: KeyboardEvent): void {
  const name = bindingKey(event)
  if (name === undefined || event.defaultPrevented) return
  const isCommand = name.startsWith('Ctrl-')
  if (isTyping(event.target) && !isCommand && name !== 'Escape') return
  if (!isCommand && document.querySelector('dialog[open]')) return
  // Enter presses the focused control.
  if (name === 'Enter' && event.target instanceof HTMLElement && event.target.closest('a, button, summary')) return
  const binding = bindings().findLast(({ key }) => key === name)
  if (!binding) return
  event.preventDefault()
  binding.act(event)
}

if (typeof document !== 'undefined') document.addEventListener('keydown', onKeyDown)

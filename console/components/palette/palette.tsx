import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { useShortcuts } from '../window/keyboard.ts'
import type { OpenPalette, PaletteState } from './open-palette.tsx'

const paletteState = signal<PaletteState | undefined>(undefined)
export const openPalette = () => {
  paletteState.value = { searchText: '', ofRequests: false }
}
/** Opens the search with a text; a result filters the request log. */
export const searchRequests = (searchText: string) => {
  paletteState.value = { searchText, ofRequests: true }
}
/** Safari has no idle callbacks. */
const whenIdle = globalThis.requestIdleCallback ?? setTimeout

const closePalette = () => {
  paletteState.value = undefined
}

/** The command palette. */
export function Palette() {
  const [Content, setContent] = useState<typeof OpenPalette>()
  useShortcuts([{ key: 'Ctrl-K', description: 'open search and commands', onPress: openPalette }])
  const state = paletteState.value
  const isOpen = state !== undefined
  // Loaded after the first rows, or again when it is opened if that failed.
  useEffect(() => {
    if (Content) return
    const load = () =>
      import('./open-palette.tsx').then(
        (module) => setContent(() => module.OpenPalette),
        () => isOpen && closePalette(),
      )
    if (isOpen) void load()
    else whenIdle(load)
  }, [Content, isOpen])
  // Keys that are pressed while it loads belong to its text. Shortcuts do not get them.
  // A layout effect runs before the next key.
  useLayoutEffect(() => {
    if (!isOpen || Content) return
    const collect = (event: KeyboardEvent) => {
      if (event.key === 'Escape') return closePalette()
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey || !paletteState.value) return
      event.preventDefault()
      event.stopPropagation()
      paletteState.value = { ...paletteState.value, searchText: paletteState.value.searchText + event.key }
    }
    addEventListener('keydown', collect, true)
    return () => removeEventListener('keydown', collect, true)
  }, [Content, isOpen])
  return state && Content ? <Content {...state} onClose={closePalette} /> : null
}

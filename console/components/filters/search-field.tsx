import { useRef } from 'preact/hooks'
import { useShortcuts } from '../window/keyboard.ts'
import { useFilters } from './filters.ts'

/** The search input of a list. The search words are in the address. */
export function SearchField({ label, placeholder }: { label: string; placeholder: string }) {
  const filters = useFilters()
  const field = useRef<HTMLInputElement>(null)
  useShortcuts([{ key: '/', description: 'focus the search field', onPress: () => field.current?.focus() }])
  return (
    <>
      <div class="find">
        <input
          ref={field}
          class="wide"
          type="search"
          aria-label={label}
          placeholder={placeholder}
          value={filters.values.q ?? ''}
          onInput={(event) => filters.set({ q: event.currentTarget.value || undefined, offset: undefined })}
        />
      </div>
      <kbd>/</kbd>
    </>
  )
}

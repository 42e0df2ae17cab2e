import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Filter, filterText, findEnteredValue, removalLabel, titleOf } from '../filters/filter-label.ts'
import type { Filters } from '../filters/filters.ts'

/** A row of filters, which scrolls horizontally in a narrow window. */
export const Chips = ({ children }: { children: ComponentChildren }) => <div class="chips">{children}</div>

/** A button with a menu. Arrow keys move the focus between its items. Escape, a click outside and leaving it with Tab close it. */
export function Menu({
  button,
  label,
  children,
}: {
  button: ComponentChildren
  label?: string
  children: (close: () => void) => ComponentChildren
}) {
  const container = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  /** Returns the focus to the button. */
  const close = () => {
    setOpen(false)
    container.current?.querySelector('button')?.focus()
  }
  useEffect(() => {
    if (!isOpen) return
    const closeOutside = (event: Event) => {
      if (!container.current?.contains(event.target as Node)) setOpen(false)
    }
    const onKeyDown = (event: KeyboardEvent) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (!step && event.key !== 'Escape') return
      event.preventDefault()
      if (!step) return close()
      const all = [...container.current!.querySelectorAll<HTMLElement>(menuItems)]
      const current = all.indexOf(document.activeElement as HTMLElement)
      // With the focus outside of the items, ArrowUp selects the last one.
      const next = current === -1 && step === -1 ? -1 : current + step
      all.at(next % all.length)?.focus()
    }
    document.addEventListener('pointerdown', closeOutside)
    document.addEventListener('focusin', closeOutside)
    // In the capture phase, so that the shortcuts of the page (`keyboard.ts`) ignore the keys that the menu handles.
    document.addEventListener('keydown', onKeyDown, true)
    container.current?.querySelector<HTMLElement>(menuItems)?.focus()
    return () => {
      document.removeEventListener('pointerdown', closeOutside)
      document.removeEventListener('focusin', closeOutside)
      document.removeEventListener('keydown', onKeyDown, true)
    }
  }, [isOpen])
  return (
    <div class="menu-anchor" ref={container}>
      <button type="button" class="chip" aria-expanded={isOpen} aria-label={label} onClick={() => setOpen(!isOpen)}>
        {button}
      </button>
      {isOpen && <div class="menu">{children(close)}</div>}
    </div>
  )
}

/** The focusable elements of an open menu. */
const menuItems = '.menu input, .menu button'

/** Moves the focus to the button `+ filter`, the last menu beside the removed filter. */
function focusAddFilter(from: HTMLElement): void {
  const all = from.closest('.bar, .toolbar')?.querySelectorAll<HTMLElement>('.menu-anchor > button')
  all?.[all.length - 1]?.focus()
}

/** A filter of a list: a menu that changes its value, and a button that removes it. */
export function Chip({ filter, filters }: { filter: Filter; filters: Filters }) {
  const value = filters.values[filter.name]
  const set = (next: string | undefined) => filters.set({ [filter.name]: next || undefined })
  return (
    <span class="chip-pair">
      <Menu button={<ChipText filter={filter} value={value} />}>
        {(close) => {
          const choose = (next: string | undefined) => {
            close()
            set(next)
          }
          return filter.kind === 'choice' ? (
            <Choices filter={filter} value={value} onSelect={choose} />
          ) : (
            <TextFilter filter={filter} value={value} onSelect={choose} />
          )
        }}
      </Menu>
      {value !== undefined && (
        <button
          type="button"
          class="chip-remove"
          aria-label={`Remove filter ${removalLabel(filter, value)}`}
          onClick={(event) => {
            focusAddFilter(event.currentTarget)
            set(undefined)
          }}
        >
          ✕
        </button>
      )}
    </span>
  )
}

function ChipText({ filter, value }: { filter: Filter; value: string | undefined }) {
  const words = filterText(filter, value)
  return (
    <>
      {words.label} <b>{words.value}</b>
    </>
  )
}

type ChoiceProps<Kind> = {
  filter: Extract<Filter, { kind: Kind }>
  value: string | undefined
  onSelect: (value: string | undefined) => void
}

function Choices({ filter, value, onSelect }: ChoiceProps<'choice'>) {
  return (
    <>
      {[{ value: undefined, label: filter.unsetText }, ...filter.options].map((option) => (
        <button
          key={option.label}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onSelect(option.value)}
        >
          {option.label}
        </button>
      ))}
    </>
  )
}

/** Maximum number of suggestions shown for a free-text filter. A filter with `onlySuggestions` shows all matches. */
const maxSuggestions = 12

function TextFilter({ filter, value, onSelect }: ChoiceProps<'text'>) {
  // Starts empty if only suggestions can be chosen, so that all of them are shown.
  const [text, setText] = useState((!filter.onlySuggestions && value) || '')
  const matches = (filter.suggestions ?? [])
    .filter((one) => `${one} ${filter.format?.(one) ?? ''}`.toLowerCase().includes(text.toLowerCase()))
    .slice(0, filter.onlySuggestions ? undefined : maxSuggestions)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const next = findEnteredValue(filter, text.trim(), matches)
        if (next !== undefined) onSelect(next)
      }}
    >
      <input
        aria-label={titleOf(filter)}
        placeholder={filter.placeholder}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {matches.map((one) => (
        <button key={one} type="button" onClick={() => onSelect(one)}>
          {filter.format?.(one) ?? one}
        </button>
      ))}
    </form>
  )
}

/** A menu of the unset filters. Set filters are chips. */
export function AddFilter(props: { availableFilters: Filter[]; filters: Filters }) {
  return (
    <Menu button="+ filter" label="Add a filter">
      {(close) => <AddFilterMenu {...props} onClose={close} />}
    </Menu>
  )
}

/** A menu that selects a filter, then its value. */
function AddFilterMenu({
  availableFilters,
  filters,
  onClose,
}: {
  availableFilters: Filter[]
  filters: Filters
  onClose: () => void
}) {
  const [filter, setFilter] = useState<Filter>()
  // Runs before paint. Otherwise `focus.ts` restores the focus outside of the menu, and the menu closes.
  useLayoutEffect(() => {
    if (filter) document.querySelector<HTMLElement>(menuItems)?.focus()
  }, [filter])
  const choose = (value: string | undefined) => {
    onClose()
    if (filter && value) filters.set({ [filter.name]: value })
  }
  if (filter?.kind === 'choice') return <Choices filter={filter} value={undefined} onSelect={choose} />
  if (filter) return <TextFilter filter={filter} value={undefined} onSelect={choose} />
  return availableFilters.map((one) => (
    <button key={one.name} type="button" onClick={() => setFilter(one)}>
      {titleOf(one)}
    </button>
  ))
}

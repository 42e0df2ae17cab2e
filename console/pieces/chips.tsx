import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Filters } from './filters.ts'

type Common = { name: string; label: string }
/** A filter of a list: one of some values, or any text. */
export type Filter = Common &
  (
    | { kind: 'choice'; any: string; options: { value: string; label: string }[] }
    | { kind: 'text'; placeholder?: string; suggestions?: string[]; shown?: (value: string) => string }
  )

/** A button that opens a small menu below it. A press elsewhere, and Escape, close it. */
export function Menu({
  button,
  label,
  children,
}: {
  button: ComponentChildren
  label?: string
  children: (close: () => void) => ComponentChildren
}) {
  const place = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (!isOpen) return
    const leave = (event: Event) => {
      if (!place.current?.contains(event.target as Node)) setOpen(false)
    }
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      setOpen(false)
      place.current?.querySelector('button')?.focus()
    }
    document.addEventListener('pointerdown', leave)
    document.addEventListener('keydown', press, true)
    place.current?.querySelector<HTMLElement>('.menu input, .menu button')?.focus()
    return () => {
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('keydown', press, true)
    }
  }, [isOpen])
  return (
    <div class="menu-place" ref={place}>
      <button type="button" class="chip" aria-expanded={isOpen} aria-label={label} onClick={() => setOpen(!isOpen)}>
        {button}
      </button>
      {isOpen && <div class="menu">{children(() => setOpen(false))}</div>}
    </div>
  )
}

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
            <Choices filter={filter} value={value} choose={choose} />
          ) : (
            <TextFilter filter={filter} value={value} choose={choose} />
          )
        }}
      </Menu>
      {value !== undefined && (
        <button type="button" class="chip-end" aria-label={`Without ${filter.label}`} onClick={() => set(undefined)}>
          ✕
        </button>
      )}
    </span>
  )
}

function ChipText({ filter, value }: { filter: Filter; value: string | undefined }) {
  const shown =
    filter.kind === 'choice'
      ? (filter.options.find((option) => option.value === value)?.label ?? value ?? filter.any)
      : value === undefined
        ? 'any'
        : (filter.shown?.(value) ?? value)
  return (
    <>
      {filter.label} <b>{shown}</b>
    </>
  )
}

type Choosing<Kind> = {
  filter: Extract<Filter, { kind: Kind }>
  value: string | undefined
  choose: (value: string | undefined) => void
}

function Choices({ filter, value, choose }: Choosing<'choice'>) {
  return (
    <>
      {[{ value: undefined, label: filter.any }, ...filter.options].map((option) => (
        <button
          key={option.label}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => choose(option.value)}
        >
          {option.label}
        </button>
      ))}
    </>
  )
}

function TextFilter({ filter, value, choose }: Choosing<'text'>) {
  const [typed, setTyped] = useState(value ?? '')
  const fitting = (filter.suggestions ?? [])
    .filter((one) => `${one} ${filter.shown?.(one) ?? ''}`.toLowerCase().includes(typed.toLowerCase()))
    .slice(0, 12)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        // What is suggested by another name is meant where its name was typed.
        const named = fitting.find((one) => filter.shown?.(one) === typed.trim())
        choose(named ?? typed.trim())
      }}
    >
      <input
        aria-label={filter.label}
        placeholder={filter.placeholder}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      {fitting.map((one) => (
        <button key={one} type="button" onClick={() => choose(one)}>
          {filter.shown?.(one) ?? one}
        </button>
      ))}
    </form>
  )
}

/** A menu of the filters that are not set; those that are stand as chips. */
export function AddFilter({ among, filters }: { among: Filter[]; filters: Filters }) {
  const [filter, setFilter] = useState<Filter>()
  return (
    <Menu button="+ filter" label="Add a filter">
      {(close) =>
        filter ? (
          <AddedFilter
            filter={filter}
            choose={(value) => {
              if (value) filters.set({ [filter.name]: value })
              setFilter(undefined)
              close()
            }}
          />
        ) : (
          among.map((one) => (
            <button key={one.name} type="button" onClick={() => setFilter(one)}>
              {one.label}
            </button>
          ))
        )
      }
    </Menu>
  )
}

function AddedFilter({ filter, choose }: { filter: Filter; choose: (value: string | undefined) => void }) {
  if (filter.kind === 'choice') return <Choices filter={filter} value={undefined} choose={choose} />
  return <TextFilter filter={filter} value={undefined} choose={choose} />
}

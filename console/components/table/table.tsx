import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useShortcuts } from '../window/keyboard.ts'
import { rem, textScale } from '../window/text-size.ts'
import { estimatedListSize } from '../window/window-size.ts'
import { visibleColumns } from './visible-columns.ts'

export type Column<Row> = {
  name: string
  title: string
  /** A CSS grid track, in px of the default text size: `120px`, `minmax(160px, 2fr)`. */
  width: string
  isNumber?: boolean
  /** Hidden below this width, in px. If columns do not fit, those with the highest value are hidden first. */
  from?: number
  cell: (row: Row) => ComponentChildren
}

type TableProps<Row> = {
  label: string
  rows: Row[]
  columns: Column<Row>[]
  keyOf: (row: Row) => string
  /** The key of the open row. */
  openKey?: string | undefined
  onOpen: (row: Row) => void
  /** Renders a row in two lines, for narrow windows. */
  narrow: (row: Row) => ComponentChildren
  /** Called near the end of the rows. */
  onEnd?: () => void
  /** Receives the scroll container. */
  list?: RefObject<HTMLDivElement | null>
  /** Called with whether the list is scrolled to its top. */
  onTopChange?: (isAtTop: boolean) => void
  /** Below the last row. */
  foot?: ComponentChildren
}

/** In px of the default text size. */
const rowHeight = 28
const narrowHeight = 50
/** Below this width a row has two lines, in px of the default text size. */
const narrowWidth = 660
/** Rendered rows outside of the viewport, at each end. A page that the service renders has none, because it has the visible rows only. */
const overscan = typeof document === 'undefined' ? 0 : 12
/** The rendered window moves by this number of rows, to render rarely while scrolling. */
const step = 6

/** A virtual list: only visible rows are rendered. `j` and `k` move, Enter opens. A screen has at most one: row ids are fixed. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, rows, columns, keyOf, openKey, onOpen, narrow, onEnd, onTopChange, foot } = props
  const ownScroller = useRef<HTMLDivElement>(null)
  const scroller = props.list ?? ownScroller
  const [view, setView] = useState<View>(() => ({ top: 0, ...estimatedListSize() }))
  const [cursor, setCursor] = useState<string>()
  const { width } = view
  const isNarrow = width > 0 && width < narrowWidth
  const height = isNarrow ? narrowHeight : rowHeight
  const shownColumns = visibleColumns(columns, width)
  const renderedCount = Math.ceil(view.height / height) + 2 * overscan + step
  const first = Math.max(
    0,
    Math.min(rows.length - renderedCount, Math.floor(view.top / height / step) * step - overscan),
  )
  const last = Math.min(rows.length, first + renderedCount)
  const selectedKey = openKey ?? cursor
  const current = useMemo(
    () => (selectedKey === undefined ? -1 : rows.findIndex((row) => keyOf(row) === selectedKey)),
    [rows, selectedKey],
  )

  useLayoutEffect(() => {
    const element = scroller.current!
    const measure = () => {
      const viewport = viewOf(element)
      setView((previous) => (isSameView(previous, viewport) ? previous : viewport))
      onTopChange?.(viewport.top < rowHeight / 2)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    element.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', measure)
      // Without a table nothing is scrolled away from its top.
      onTopChange?.(true)
    }
  }, [onTopChange])
  useEffect(() => {
    if (onEnd && view.height > 0 && last >= rows.length - overscan) onEnd()
  }, [onEnd, last, rows.length, view.height])

  const move = (offset: number) => {
    const next = rows[Math.min(rows.length - 1, Math.max(0, current + offset))]
    if (!next) return
    setCursor(keyOf(next))
    scrollToRow(scroller.current!, rows.indexOf(next) * height * textScale, height * textScale)
    if (openKey !== undefined) onOpen(next)
  }
  // Without a current row, both directions select the first row.
  useShortcuts([
    { key: 'j', description: 'next row', onPress: () => move(1) },
    { key: 'ArrowDown', description: 'next row', onPress: () => move(1) },
    { key: 'k', description: 'previous row', onPress: () => move(current < 0 ? 1 : -1) },
    { key: 'ArrowUp', description: 'previous row', onPress: () => move(current < 0 ? 1 : -1) },
    { key: 'Enter', description: 'open the row', onPress: () => rows[current] && onOpen(rows[current]) },
  ])

  return (
    <div
      class={isNarrow ? 'rows narrow' : 'rows'}
      ref={scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={current >= first && current < last ? `row-${current}` : undefined}
      tabIndex={0}
      style={{
        '--columns': shownColumns.map(({ width }) => width.replace(/(\d+)px/g, (_, px) => rem(Number(px)))).join(' '),
      }}
    >
      <div class="row head" role="row" aria-rowindex={1}>
        {shownColumns.map(({ name, title, isNumber }) => (
          <span key={name} role="columnheader" class={isNumber ? 'number' : undefined}>
            {title}
          </span>
        ))}
      </div>
      <div role="rowgroup" style={{ height: rem(rows.length * height) }} class="all">
        <div role="presentation" style={{ transform: `translateY(${rem(first * height)})` }}>
          {rows.slice(first, last).map((row, index) => (
            <div
              // Row elements are reused while scrolling. New rows above do not change the key of a row.
              key={(rows.length - first - index) % renderedCount}
              id={`row-${first + index}`}
              class="row"
              role="row"
              aria-rowindex={first + index + 2}
              aria-selected={keyOf(row) === openKey}
              data-cursor={first + index === current || undefined}
              onClick={() => onOpen(row)}
            >
              {isNarrow ? (
                <div role="gridcell">{narrow(row)}</div>
              ) : (
                shownColumns.map(({ name, isNumber, cell }) => (
                  <span key={name} role="gridcell" class={isNumber ? 'number' : undefined}>
                    {cell(row)}
                  </span>
                ))
              )}
            </div>
          ))}
        </div>
      </div>
      {foot && <div class="foot dim">{foot}</div>}
    </div>
  )
}

/** The scroll position and the size of the list, in px of the default text size. */
type View = { top: number; height: number; width: number }

const viewOf = ({ scrollTop, clientHeight, clientWidth }: HTMLElement): View => ({
  top: scrollTop / textScale,
  height: clientHeight / textScale,
  width: clientWidth / textScale,
})

/** Whether both views render the same rows, for both row heights. */
function isSameView(a: View, b: View): boolean {
  const at = ({ top }: View, height: number) => Math.floor(top / height / step)
  const isSamePosition = [rowHeight, narrowHeight].every((height) => at(a, height) === at(b, height))
  return isSamePosition && a.height === b.height && a.width === b.width
}

/** Scrolls as little as needed to show a row. @param top its position below the head row, in px of the window like `height`. */
function scrollToRow(scroller: HTMLElement, top: number, height: number): void {
  const headHeight = (scroller.firstElementChild as HTMLElement).offsetHeight
  if (top < scroller.scrollTop) scroller.scrollTop = top
  const bottom = top + height + headHeight
  if (bottom > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = bottom - scroller.clientHeight
}

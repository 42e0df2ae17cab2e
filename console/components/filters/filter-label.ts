type FilterBase = {
  name: string
  label: string
  /** The unit of the value. */
  unit?: string
  /** The text of the chip without a value, after its label. Defaults to `any`. */
  unsetText?: string
  /** When the chip omits the label: without a value (`unset`) or always. */
  omitsLabel?: 'unset' | 'always'
}
/** A filter of a list: a choice or text. With `onlySuggestions`, a text that is not a suggestion cannot be chosen. */
export type Filter = FilterBase &
  (
    | { kind: 'choice'; unsetText: string; options: { value: string; label: string }[] }
    | {
        kind: 'text'
        placeholder?: string
        suggestions?: string[]
        onlySuggestions?: boolean
        format?: (value: string) => string
      }
  )

type TextFilter = Extract<Filter, { kind: 'text' }>

/** A filter with a list of values to choose from. */
export const choiceFilter = (
  name: string,
  label: string,
  unsetText: string,
  options: [value: string, label: string][],
): Filter => ({
  kind: 'choice',
  name,
  label,
  unsetText,
  options: options.map(([value, optionLabel]) => ({ value, label: optionLabel })),
})

/** The name of the filter in menus and inputs. */
export const titleOf = ({ label, unit }: Filter) => (unit ? `${label}, ${unit}` : label)

/** The label and the value on the chip. Together they read as a phrase. */
export function filterText(filter: Filter, value: string | undefined): { label: string; value: string } {
  const { omitsLabel, label, unit, unsetText = 'any' } = filter
  const isLabelOmitted = omitsLabel === 'always' || (omitsLabel === 'unset' && value === undefined)
  const words = value === undefined ? unsetText : displayValue(filter, value) + (unit ? ` ${unit}` : '')
  return { label: isLabelOmitted ? '' : label, value: words }
}

/** The accessible name of the remove button: the label, with the value if the label alone is unclear. */
export function removalLabel(filter: Filter, value: string): string {
  const words = filterText(filter, value)
  return filter.omitsLabel ? `${words.label} ${words.value}`.trim() : filter.label
}

/**
 * The value that Enter selects: the suggestion whose label was typed, or else the text itself. With `onlySuggestions`, it is the
 * first matching suggestion, or undefined if the text is empty or matches none.
 */
export const findEnteredValue = (filter: TextFilter, text: string, matching: string[]): string | undefined =>
  matching.find((suggestion) => filter.format?.(suggestion) === text) ??
  (filter.onlySuggestions ? (text ? matching[0] : undefined) : text)

const displayValue = (filter: Filter, value: string): string =>
  filter.kind === 'choice'
    ? (filter.options.find((option) => option.value === value)?.label ?? value)
    : (filter.format?.(value) ?? value)

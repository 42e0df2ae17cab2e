type Common = {
  name: string
  label: string
  /** Of what is typed. */
  unit?: string
  /** What the chip says where nothing is chosen, after its label; `any` unless told. */
  any?: string
  /** Where the value says enough without the label before it: `any` alone, or each. */
  bare?: 'any' | 'always'
}
/** A filter of a list: one of some values, or any text. `onlySuggested`: what is typed finds one of the suggestions. */
export type Filter = Common &
  (
    | { kind: 'choice'; any: string; options: { value: string; label: string }[] }
    | {
        kind: 'text'
        placeholder?: string
        suggestions?: string[]
        onlySuggested?: boolean
        format?: (value: string) => string
      }
  )

/** What the filter is called where it is to be chosen, or filled in. */
export const titleOf = ({ label, unit }: Filter) => (unit ? `${label}, ${unit}` : label)

/** What its chip says, in two parts: read one after the other, they are a phrase. */
export function filterText(filter: Filter, value: string | undefined): { label: string; value: string } {
  const { bare, label, unit, any = 'any' } = filter
  const isBare = bare === 'always' || (bare === 'any' && value === undefined)
  const words = value === undefined ? any : displayValue(filter, value) + (unit ? ` ${unit}` : '')
  return { label: isBare ? '' : label, value: words }
}

/** What is taken away: a label that says little without its value has that, too. */
export function removalLabel(filter: Filter, value: string): string {
  const words = filterText(filter, value)
  return filter.bare ? `${words.label} ${words.value}`.trim() : filter.label
}

const displayValue = (filter: Filter, value: string): string =>
  filter.kind === 'choice'
    ? (filter.options.find((option) => option.value === value)?.label ?? value)
    : (filter.format?.(value) ?? value)

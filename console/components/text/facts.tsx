import type { ComponentChildren } from 'preact'

export type Fact = [label: string, value: ComponentChildren]

/** A list of labels and values. Empty values are omitted. */
export function Facts({ facts, class: className }: { facts: Fact[]; class: string }) {
  return (
    <dl class={className}>
      {facts.map(([label, value]) =>
        value ? (
          <div key={label}>
            <dt class="dim">{label}</dt>
            <dd>{value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}

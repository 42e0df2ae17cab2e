import type { ComponentChildren } from 'preact'

export type Fact = [name: string, value: ComponentChildren]

/** A list of names and values. Empty values are omitted. */
export function Facts({ facts, class: name }: { facts: Fact[]; class: string }) {
  return (
    <dl class={name}>
      {facts.map(([fact, value]) =>
        value ? (
          <div key={fact}>
            <dt class="dim">{fact}</dt>
            <dd>{value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}

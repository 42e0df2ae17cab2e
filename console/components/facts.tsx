import type { ComponentChildren } from 'preact'

export type Fact = [name: string, value: ComponentChildren]

/** What is known of something, a line each; what is not known has none. */
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

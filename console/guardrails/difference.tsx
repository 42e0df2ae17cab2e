import type { Change } from './policy.ts'

/** `allowed_models` as `allowed models`. */
export const nameOf = (field: string) => field.replaceAll('_', ' ').replace(' usd', ', USD')

/** What goes and what comes, a line each. The signs tell it without colours. */
export function Difference({ changes }: { changes: Change[] }) {
  return (
    <dl class="guardrail-diff">
      {changes.map(({ field, gone, come }) => (
        <div key={field}>
          <dt class="dim">{nameOf(field)}</dt>
          {gone.map((line) => (
            <dd key={`- ${line}`}>
              <del>− {line}</del>
            </dd>
          ))}
          {come.map((line) => (
            <dd key={`+ ${line}`}>
              <ins>+ {line}</ins>
            </dd>
          ))}
        </div>
      ))}
    </dl>
  )
}

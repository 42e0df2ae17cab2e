import { useState } from 'preact/hooks'
import { attempt, useActing } from '../../pieces/acting.ts'
import { Problem } from '../../pieces/problem.tsx'
import { toast } from '../../pieces/toast.tsx'
import { shown } from '../shown.ts'

type Props = { hosts: string[]; change?: (hosts: string[]) => Promise<void> }

const meaningOf = (hosts: string[]) =>
  hosts.length === 0
    ? 'Its builtin agent fetches no pages.'
    : hosts.includes('*')
      ? 'Its builtin agent may fetch pages from every public host.'
      : `Its builtin agent may fetch pages from ${shown(hosts.join(', '))}, and nowhere else.`

/** From where the builtin agent may fetch pages. @param change none where it is only read. */
export function WebHosts({ hosts, change }: Props) {
  const [typed, setTyped] = useState(hosts.join('\n'))
  const { problem, isBusy, act } = useActing()
  const wanted = [...new Set(typed.split(/[\s,]+/).filter(Boolean))]
  const isChanged = wanted.join() !== hosts.join()
  const save = (event: Event) => {
    event.preventDefault()
    void act(async () => {
      await change!(wanted)
      toast('Saved: from the next start on', { undo: () => void attempt(() => change!(hosts)) })
    })
  }
  return (
    <section aria-label="Pages of the web">
      <h2>Pages of the web</h2>
      <p>{meaningOf(wanted)}</p>
      {change && (
        <form class="web-hosts" onSubmit={save}>
          <textarea
            class="mono"
            aria-label="Hosts, one a line"
            rows={Math.max(2, wanted.length)}
            placeholder={'docs.example.com\n*.wikipedia.org'}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
          <button type="submit" disabled={isBusy || !isChanged}>
            Save the hosts
          </button>
          <Problem text={problem} />
        </form>
      )}
    </section>
  )
}

import { useState } from 'preact/hooks'
import { runOrToast, useAction } from '../../components/form/use-action.ts'
import { Problem } from '../../components/page/problem.tsx'
import { toast } from '../../components/page/toast.tsx'
import { escapeInvisible } from '../visible-text.ts'

type Props = { hosts: string[]; onSave?: (hosts: string[]) => Promise<void> }

const describeHosts = (hosts: string[]) =>
  hosts.length === 0
    ? 'The builtin agent cannot fetch web pages.'
    : hosts.includes('*')
      ? 'The builtin agent can fetch web pages from every public host.'
      : `The builtin agent can fetch web pages only from ${escapeInvisible(hosts.join(', '))}.`

/** The hosts from which the builtin agent can fetch pages. @param props.onSave undefined for read-only. */
export function WebHosts({ hosts, onSave }: Props) {
  const [hostsText, setHostsText] = useState(hosts.join('\n'))
  const { problem, isBusy, onSubmit } = useAction()
  const enteredHosts = [...new Set(hostsText.split(/[\s,]+/).filter(Boolean))]
  const isChanged = enteredHosts.join() !== hosts.join()
  /** Only the form calls `save`. Without `onSave` there is no form. */
  const save = onSubmit(async () => {
    await onSave!(enteredHosts)
    toast('Saved. Takes effect at the next start', { undo: () => void runOrToast(() => onSave!(hosts)) })
  })
  return (
    <section aria-label="Web pages">
      <h2>Web pages</h2>
      <p>{describeHosts(enteredHosts)}</p>
      {onSave && (
        <form class="web-hosts" onSubmit={save}>
          <textarea
            class="mono"
            aria-label="Hosts, one per line"
            rows={Math.max(2, enteredHosts.length)}
            placeholder={'docs.example.com\n*.wikipedia.org'}
            value={hostsText}
            onInput={(event) => setHostsText(event.currentTarget.value)}
          />
          <button type="submit" disabled={isBusy || !isChanged}>
            Save hosts
          </button>
          <Problem text={problem} />
        </form>
      )}
    </section>
  )
}

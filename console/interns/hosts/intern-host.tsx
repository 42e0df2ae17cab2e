import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import type { Intern } from '../../api/types.ts'
import { ConfirmDeleteByName } from '../../components/form/confirm-delete-by-name.tsx'
import { Dialog } from '../../components/form/dialog.tsx'
import { toast } from '../../components/page/toast.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { escapeInvisible } from '../visible-text.ts'
import { MoveForm } from './move-form.tsx'

type Props = { intern: Intern; canChange: boolean; onDone: () => void }

/** The host of an intern. Stopped interns, and those of a lost host, can be moved. */
export function InternHost({ intern, canChange, onDone }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { host } = intern
  if (!host) return null
  const isHostLost = host.state === 'gone'
  return (
    <p class={isHostLost ? 'bad' : 'dim'}>
      Host: {escapeInvisible(host.name)}
      {isHostLost && (
        <>
          , which is lost{host.since && ' since '}
          {host.since && <RelativeTime time={host.since} />}
          {host.reason && `: ${escapeInvisible(host.reason)}`}
        </>
      )}{' '}
      {canChange && (isHostLost || intern.status === 'stopped') && (
        <button type="button" onClick={() => setOpen(true)}>
          Move …
        </button>
      )}
      {isOpen && <MoveDialog intern={intern} isHostLost={isHostLost} onDone={onDone} onClose={() => setOpen(false)} />}
    </p>
  )
}

type MoveProps = Omit<Props, 'canChange'> & { isHostLost: boolean; onClose: () => void }

function MoveDialog({ intern, isHostLost, onDone, onClose }: MoveProps) {
  const hosts = useGet('GET /interns/hosts', {}).data?.data ?? []
  const others = hosts.filter(({ name, state }) => state === 'up' && name !== intern.host?.name)
  const params = { internId: intern.id }
  const onSaved = (message: string) => {
    onDone()
    onClose()
    toast(message)
  }
  const move = async (to: string) => {
    await call('POST /interns/{internId}/move', { params, body: { host: to } })
    onSaved(`${intern.name} moved to ${to}`)
  }
  const giveUp = async () => {
    await call('POST /interns/{internId}/give-up', { params })
    onSaved(`Files of ${intern.name} given up. Wake it to start with an empty workspace`)
  }
  return (
    <Dialog title={`Move ${intern.name}`} onClose={onClose}>
      <h2>Move {intern.name}</h2>
      <MoveForm hosts={others} label="To" onMove={move} onClose={onClose}>
        First copy its folder to the data folder of the other host, at <code>interns/{intern.id}</code>, with owner and
        modes.
      </MoveForm>
      {isHostLost && (
        <>
          <p class="data-loss">
            If you give up its files, it starts on any host with an empty workspace. The files are lost.
          </p>
          <ConfirmDeleteByName name={intern.name} verb="give up the files" onConfirm={giveUp} />
        </>
      )}
    </Dialog>
  )
}

import { call } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import type { ListedInternHost } from '../../api/types.ts'
import { ConfirmDeleteByName } from '../../components/form/confirm-delete-by-name.tsx'
import { Dialog } from '../../components/form/dialog.tsx'
import { toast } from '../../components/page/toast.tsx'
import { countText } from '../../format/count.ts'
import { MoveForm } from './move-form.tsx'

type Props = { host: ListedInternHost; otherHosts: ListedInternHost[]; onDone: () => void; onClose: () => void }

/** A dialog that moves all interns of a lost host to another host, or gives up their files. */
export function LostHostDialog({ host: { name: host, interns }, otherHosts, onDone, onClose }: Props) {
  const onSaved = (message: string) => {
    invalidate('/interns')
    onDone()
    onClose()
    toast(message)
  }
  const move = async (to: string) => {
    const { data } = await call('POST /organization/intern-hosts/{host}/move', { params: { host }, body: { to } })
    onSaved(`${countText(data.length, 'intern')} moved to ${to}`)
  }
  const giveUp = async () => {
    const { data } = await call('POST /organization/intern-hosts/{host}/give-up', { params: { host } })
    onSaved(`Files of ${countText(data.length, 'intern')} given up`)
  }
  const title = `${countText(interns, 'intern')} of ${host}`
  return (
    <Dialog title={title} onClose={onClose}>
      <h2>{title}</h2>
      <MoveForm hosts={otherHosts} label="Move all to" onMove={move} onClose={onClose}>
        First copy their folders to the data folder of another host. Interns that were running are started there.
      </MoveForm>
      <p class="data-loss">
        If you give up their files, the interns start on any host with an empty workspace. The files are lost.
      </p>
      <ConfirmDeleteByName name={host} verb="give up the files" onConfirm={giveUp} />
    </Dialog>
  )
}

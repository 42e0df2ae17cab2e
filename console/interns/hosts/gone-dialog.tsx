import { call } from '../../api/client.ts'
import { forget } from '../../api/resource.ts'
import type { ListedInternHost } from '../../api/types.ts'
import { counted } from '../../format/count.ts'
import { DeleteNamed } from '../../pieces/delete-named.tsx'
import { Dialog } from '../../pieces/dialog.tsx'
import { toast } from '../../pieces/toast.tsx'
import { MoveForm } from './move-form.tsx'

type Props = { host: ListedInternHost; others: ListedInternHost[]; after: () => void; onClose: () => void }

/** What becomes of all interns of a host that is gone: their files are on another one, or lost. */
export function GoneDialog({ host: { name: host, interns }, others, after, onClose }: Props) {
  const done = (says: string) => {
    forget('/interns')
    after()
    onClose()
    toast(says)
  }
  const move = async (to: string) => {
    const { data } = await call('POST /organization/intern-hosts/{host}/move', { params: { host }, body: { to } })
    done(`${counted(data.length, 'intern')} moved to ${to}`)
  }
  const giveUp = async () => {
    const { data } = await call('POST /organization/intern-hosts/{host}/give-up', { params: { host }, body: {} })
    done(`${counted(data.length, 'intern')} given up`)
  }
  const title = `${counted(interns, 'intern')} of ${host}`
  return (
    <Dialog title={title} onClose={onClose}>
      <h2>{title}</h2>
      <MoveForm hosts={others} label="Move them all to" verb="Move them" move={move} onClose={onClose}>
        Where their folders were put into the data folder of another host, they are moved there, and started again if
        they were in service.
      </MoveForm>
      <p class="lost">Given up, they start anew on any host, with an empty workspace: their files are lost.</p>
      <DeleteNamed name={host} verb="give up" act={giveUp} />
    </Dialog>
  )
}

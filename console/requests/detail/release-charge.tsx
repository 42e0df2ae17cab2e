import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { canManage } from '../../api/session.ts'
import type { Generation } from '../../api/types.ts'
import { FormDialog } from '../../components/form/form-dialog.tsx'
import { toast } from '../../components/page/toast.tsx'
import { exactMoney } from '../../format/money.ts'

/** The request, and the objects whose limits get the amount back. */
const affectedPaths = ['/generation', '/key', '/workspaces', '/organization', '/guardrails']

type Props = { generation: Generation; onReleased: () => void }

/** A button that gives the unconfirmed amount of a request back to its limits. */
export function ReleaseCharge({ generation, onReleased }: Props) {
  const [isOpen, setOpen] = useState(false)
  if (generation.unconfirmed_usd === 0 || !canManage()) return null
  return (
    <p>
      <button type="button" onClick={() => setOpen(true)}>
        Release the unconfirmed amount
      </button>
      {isOpen && <ReleaseDialog generation={generation} onReleased={onReleased} onClose={() => setOpen(false)} />}
    </p>
  )
}

function ReleaseDialog({ generation, onReleased, onClose }: Props & { onClose: () => void }) {
  const submit = async () => {
    const { data } = await call('POST /generations/release', { query: { id: generation.id } })
    for (const path of affectedPaths) invalidate(path)
    onClose()
    onReleased()
    toast(
      data.requests > 0 ? `Released ${exactMoney(data.released_usd)}` : 'The amount was already released or corrected',
    )
  }
  return (
    <FormDialog
      title={`Release ${exactMoney(generation.unconfirmed_usd)}?`}
      label="Release"
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        Limits and budgets get this amount back. The cost of the request stays. If the provider bills more, no limit
        counts the difference.
      </p>
    </FormDialog>
  )
}

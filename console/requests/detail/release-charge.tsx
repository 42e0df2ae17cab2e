import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { canManage } from '../../api/session.ts'
import type { Generation } from '../../api/types.ts'
import { Dialog } from '../../components/form/dialog.tsx'
import { FormActions } from '../../components/form/form-actions.tsx'
import { useAction } from '../../components/form/use-action.ts'
import { toast } from '../../components/page/toast.tsx'
import { exactMoney } from '../../format/money.ts'

/** The request, and the objects whose limits get the amount back. */
const affectedPaths = ['/generation', '/key', '/workspaces', '/organization', '/guardrails']

/** A button that gives the unconfirmed amount of a request back to its limits. */
export function ReleaseCharge({ generation }: { generation: Generation }) {
  const [isOpen, setOpen] = useState(false)
  if (generation.unconfirmed_usd === 0 || !canManage()) return null
  return (
    <p>
      <button type="button" onClick={() => setOpen(true)}>
        Release the unconfirmed amount
      </button>
      {isOpen && <ReleaseDialog generation={generation} onClose={() => setOpen(false)} />}
    </p>
  )
}

function ReleaseDialog({ generation, onClose }: { generation: Generation; onClose: () => void }) {
  const { problem, isBusy, onSubmit } = useAction()
  const submit = onSubmit(async () => {
    const { data } = await call('POST /generations/release', { query: { id: generation.id } })
    for (const path of affectedPaths) invalidate(path)
    onClose()
    toast(
      data.requests > 0 ? `Released ${exactMoney(data.released_usd)}` : 'The amount was already released or corrected',
    )
  })
  return (
    <Dialog title="Release the unconfirmed amount" onClose={onClose}>
      <h2>Release {exactMoney(generation.unconfirmed_usd)}?</h2>
      <form class="fields" onSubmit={submit}>
        <p>
          Limits and budgets get this amount back. The cost of the request stays. If the provider bills more, no limit
          counts the difference.
        </p>
        <FormActions problem={problem} label="Release" disabled={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}

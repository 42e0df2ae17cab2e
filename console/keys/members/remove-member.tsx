import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import type { Member } from '../../api/types.ts'
import { ConfirmDeleteByName } from '../../components/form/confirm-delete-by-name.tsx'
import { Dialog } from '../../components/form/dialog.tsx'
import { toast } from '../../components/page/toast.tsx'
import { countText } from '../../format/count.ts'

type Props = { member: Member; name: string; onRemoved: () => void; onClose: () => void }

/** A dialog that removes a member, and optionally disables their keys. */
export function RemoveMember({ member, name, onRemoved, onClose }: Props) {
  const [shouldDisableKeys, setDisableKeys] = useState(true)
  const remove = async () => {
    const query = { disable_keys: shouldDisableKeys ? ('true' as const) : ('false' as const) }
    const { disabled_keys } = await call('DELETE /organization/members/{user_id}', {
      params: { user_id: member.id },
      query,
    })
    onRemoved()
    onClose()
    toast(`${name} removed, ${countText(disabled_keys, 'key')} disabled`)
  }
  return (
    <Dialog title={`Remove ${name}`} onClose={onClose}>
      <h2>Remove {name}</h2>
      <label class="check">
        <input
          type="checkbox"
          checked={shouldDisableKeys}
          onChange={(event) => setDisableKeys(event.currentTarget.checked)}
        />
        Also disable their keys (otherwise the keys keep working)
      </label>
      <ConfirmDeleteByName name={name} verb="remove" onConfirm={remove} />
    </Dialog>
  )
}

import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { canUseModelsAndInterns } from '../../api/session.ts'
import type { Intern } from '../../api/types.ts'
import { Dialog } from '../../components/form/dialog.tsx'
import { runOrToast } from '../../components/form/use-action.ts'

type Action = 'wake' | 'suspend' | 'restart'

/** The actions that each status allows. */
const actionsByStatus: Partial<Record<Intern['status'], Action[]>> = {
  running: ['restart', 'suspend'],
  failed: ['wake', 'suspend'],
  stopped: ['wake'],
}
const titles: Record<Action, string> = { wake: 'Wake', suspend: 'Suspend', restart: 'Restart' }

/** A restart suspends the intern, then wakes it. */
async function perform(action: Action, internId: string): Promise<void> {
  const input = { params: { internId } }
  if (action !== 'wake') await call('POST /interns/{internId}/suspend', input)
  if (action !== 'suspend') await call('POST /interns/{internId}/provision', input)
}

/** Buttons to wake, suspend and restart. Actions that end runs require confirmation. */
export function InternActions({ intern, onDone }: { intern: Intern; onDone: () => void }) {
  const [actionToConfirm, setActionToConfirm] = useState<Action>()
  const [isBusy, setBusy] = useState(false)
  const runAction = async (action: Action) => {
    setActionToConfirm(undefined)
    setBusy(true)
    await runOrToast(() => perform(action, intern.id), `${intern.name}: `)
    setBusy(false)
    onDone()
  }
  if (!canUseModelsAndInterns()) return null
  return (
    <span class="intern-actions">
      {actionsByStatus[intern.status]?.map((action) => (
        <button
          key={action}
          type="button"
          disabled={isBusy}
          aria-label={`${titles[action]} ${intern.name}`}
          onClick={() => (action === 'wake' ? void runAction(action) : setActionToConfirm(action))}
        >
          {titles[action]}
        </button>
      ))}
      {actionToConfirm && (
        <Dialog title={`${titles[actionToConfirm]} ${intern.name}`} onClose={() => setActionToConfirm(undefined)}>
          <h2>
            {titles[actionToConfirm]} {intern.name}?
          </h2>
          <p>
            Runs and open questions end. Files and sessions are kept
            {actionToConfirm === 'suspend' ? ', and you can wake it again.' : '.'}
          </p>
          <button type="button" class="main" onClick={() => void runAction(actionToConfirm)}>
            {titles[actionToConfirm]}
          </button>
        </Dialog>
      )}
    </span>
  )
}

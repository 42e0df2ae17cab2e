import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import { asks } from '../api/session.ts'
import type { Intern } from '../api/types.ts'
import { Dialog } from '../components/dialog.tsx'
import { toast } from '../components/toast.tsx'

type Act = 'wake' | 'suspend' | 'restart'

/** What its state allows. */
const actsIn: Partial<Record<Intern['status'], Act[]>> = {
  running: ['restart', 'suspend'],
  failed: ['wake', 'suspend'],
  stopped: ['wake'],
}
const titles: Record<Act, string> = { wake: 'Wake', suspend: 'Suspend', restart: 'Restart' }

async function perform(act: Act, internId: string): Promise<void> {
  const input = { params: { internId }, body: {} }
  if (act !== 'wake') await call('POST /interns/{internId}/suspend', input)
  if (act !== 'suspend') await call('POST /interns/{internId}/provision', input)
}

/** Wake, suspend, restart. What ends its work is asked for first. */
export function InternActs({ intern, after }: { intern: Intern; after: () => void }) {
  const [asked, ask] = useState<Act>()
  const [isBusy, setBusy] = useState(false)
  const act = async (which: Act) => {
    ask(undefined)
    setBusy(true)
    try {
      await perform(which, intern.id)
    } catch (error) {
      toast(`${intern.name}: ${asFailure(error).message}`, { isBad: true })
    }
    setBusy(false)
    after()
  }
  if (!asks()) return null
  return (
    <span class="intern-acts">
      {actsIn[intern.status]?.map((which) => (
        <button
          key={which}
          type="button"
          disabled={isBusy}
          aria-label={`${titles[which]} ${intern.name}`}
          onClick={() => (which === 'wake' ? void act(which) : ask(which))}
        >
          {titles[which]}
        </button>
      ))}
      {asked && (
        <Dialog title={`${titles[asked]} ${intern.name}`} onClose={() => ask(undefined)}>
          <h2>
            {titles[asked]} {intern.name}?
          </h2>
          <p>
            Runs and open questions end. Files and sessions are kept
            {asked === 'suspend' ? ', and you can wake it again.' : '.'}
          </p>
          <button type="button" class="main" onClick={() => void act(asked)}>
            {titles[asked]}
          </button>
        </Dialog>
      )}
    </span>
  )
}

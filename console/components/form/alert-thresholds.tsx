import { useState } from 'preact/hooks'
import { type CallOptions, call, ifUnchanged } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import { toast } from '../page/toast.tsx'
import { FormDialog } from './form-dialog.tsx'
import { useObjectForm } from './object-form.ts'
import { parseThresholds, ThresholdsInput } from './thresholds-input.tsx'
import { runOrToast } from './use-action.ts'

type Stored = { thresholds: number[] }

/** Reads and saves the thresholds of a limit. */
type ThresholdsStore = {
  load: () => Promise<Stored>
  save: (thresholds: number[], options: CallOptions) => Promise<Stored>
}

const paths = { key: '/keys/{hash}/thresholds', guardrail: '/guardrails/{id}/thresholds' } as const

/** The percentages at which webhooks are notified of a limit. @param props.targetId the hash of a key, or the ID of a guardrail. */
export function AlertThresholds({
  kind,
  targetId,
  canChange,
}: {
  kind: keyof typeof paths
  targetId: string
  canChange: boolean
}) {
  const path = paths[kind]
  // The path has one of the parameters.
  const params = { hash: targetId, id: targetId }
  const { data, reload } = useGet(`GET ${path}` as const, { params })
  const store: ThresholdsStore = {
    load: async () => (await call(`GET ${path}` as const, { params })).data,
    save: async (thresholds, options) =>
      (await call(`PUT ${path}` as const, { params, body: { thresholds } }, options)).data,
  }
  return <Thresholds stored={data?.data} store={store} canChange={canChange} onReload={reload} />
}

type Props = { stored: Stored | undefined; store: ThresholdsStore; canChange: boolean; onReload: () => void }

function Thresholds({ stored, store, canChange, onReload }: Props) {
  const [isOpen, setOpen] = useState(false)
  if (!stored) return null
  return (
    <>
      <p class="dim">
        {stored.thresholds.length === 0
          ? 'Webhooks are not notified of this limit.'
          : `Webhooks are notified at ${stored.thresholds.join(', ')} % of the limit.`}{' '}
        {canChange && (
          <button type="button" onClick={() => setOpen(true)}>
            Change alerts
          </button>
        )}
      </p>
      {isOpen && <ThresholdsDialog stored={stored} store={store} onReload={onReload} onClose={() => setOpen(false)} />}
    </>
  )
}

type DialogProps = { stored: Stored; store: ThresholdsStore; onReload: () => void; onClose: () => void }

function ThresholdsDialog({ stored, store, onReload, onClose }: DialogProps) {
  const fieldsOf = ({ thresholds }: Stored) => ({ thresholds: thresholds.join(', ') })
  const { loaded, fields, setFields, saveIfUnmodified, conflict } = useObjectForm(stored, store.load, fieldsOf)
  const save = async (text: string, options: CallOptions) => {
    const updated = await store.save(parseThresholds(text), options)
    onReload()
    return updated
  }
  const submit = async () => {
    const isSaved = await saveIfUnmodified(async (options) => {
      const updated = await save(fields.thresholds, options)
      const undo = () => void runOrToast(() => save(loaded.thresholds, ifUnchanged(updated)))
      toast('Alerts updated', { undo })
    })
    if (isSaved) onClose()
  }
  return (
    <FormDialog
      title="Alerts of the limit"
      label="Save"
      conflict={conflict && { name: 'The list of alerts', ...conflict }}
      onSubmit={submit}
      onClose={onClose}
    >
      <ThresholdsInput value={fields.thresholds} onChange={(thresholds) => setFields({ thresholds })} />
    </FormDialog>
  )
}

import { type CallOptions, call, ifUnchanged } from '../../api/client.ts'
import type { Webhook, WebhookPatch } from '../../api/types.ts'
import { ConfirmDeleteByName } from '../../components/form/confirm-delete-by-name.tsx'
import { Conflict } from '../../components/form/conflict.tsx'
import { Dialog } from '../../components/form/dialog.tsx'
import { FormActions } from '../../components/form/form-actions.tsx'
import { changedFields, useObjectForm } from '../../components/form/object-form.ts'
import { runOrToast, useAction } from '../../components/form/use-action.ts'
import { toast } from '../../components/page/toast.tsx'
import {
  bodyOf,
  eventNames,
  fieldsOf,
  formatNames,
  hostOf,
  includeNames,
  newWebhook,
  toggleValue,
  type WebhookFields,
} from './webhook-fields.ts'

type Props = { webhook?: Webhook; onChanged: () => void; onSecret: (secret: string) => void; onClose: () => void }

/** A dialog that creates, changes or deletes a webhook, or rotates its secret. */
export function WebhookDialog({ webhook, onChanged, onSecret, onClose }: Props) {
  // Unused for a new webhook.
  const params = { webhookId: webhook?.id ?? '' }
  const load = async () => (await call('GET /webhooks/{webhookId}', { params })).data
  const form = useObjectForm<Webhook | undefined, WebhookFields>(webhook, load, (stored) =>
    stored ? fieldsOf(stored) : newWebhook,
  )
  const { loaded, fields, setFields, saveIfUnmodified, conflict } = form
  const { problem, isBusy, run, onSubmit } = useAction()
  const title = webhook ? 'Change webhook' : 'Create webhook'
  const onSaved = (message: string, undo?: () => void) => {
    onChanged()
    onClose()
    toast(message, undo && { undo })
  }
  const patch = async (body: WebhookPatch, options: CallOptions) => {
    const { data } = await call('PATCH /webhooks/{webhookId}', { params, body }, options)
    onChanged()
    return data
  }
  const save = async () => {
    if (webhook) {
      await saveIfUnmodified(async (options) => {
        const after = await patch({ ...bodyOf(fields), enabled: fields.enabled }, options)
        const undoPatch = { ...bodyOf(loaded), enabled: loaded.enabled }
        onSaved('Saved', () => void runOrToast(() => patch(undoPatch, ifUnchanged(after))))
      })
      return
    }
    const { secret } = await call('POST /webhooks', { body: bodyOf(fields) })
    onSecret(secret)
    onSaved('Webhook created')
  }
  const rotate = async () => {
    const { secret } = await call('POST /webhooks/{webhookId}/rotate-secret', { params, body: {} })
    onSecret(secret)
    onSaved('Secret rotated. The previous one also signs for a day')
  }
  const remove = async () => {
    await call('DELETE /webhooks/{webhookId}', { params })
    onSaved('Webhook deleted')
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <h2>{title}</h2>
      <form class="fields" onSubmit={onSubmit(save)}>
        <WebhookInputs isNew={!webhook} fields={fields} onChange={(part) => setFields({ ...fields, ...part })} />
        {conflict && <Conflict name="The webhook" {...conflict} />}
        <FormActions
          problem={problem}
          label={webhook ? 'Save' : 'Create'}
          disabled={isBusy || fields.events.length === 0 || conflict !== undefined}
          onClose={onClose}
        >
          {webhook && (
            <button
              type="button"
              disabled={isBusy || changedFields(loaded, fields).length > 0}
              onClick={() => void run(rotate)}
            >
              Rotate secret
            </button>
          )}
        </FormActions>
      </form>
      {webhook && <ConfirmDeleteByName name={hostOf(webhook.url)} verb="delete" onConfirm={remove} />}
    </Dialog>
  )
}

type InputsProps = { isNew: boolean; fields: WebhookFields; onChange: (part: Partial<WebhookFields>) => void }

function WebhookInputs({ isNew, fields, onChange }: InputsProps) {
  return (
    <>
      <label>
        URL, or mailto: and an email address
        <input
          class="mono"
          type="url"
          required
          value={fields.url}
          placeholder="https://hooks.example.com/signalbox"
          onInput={(event) => onChange({ url: event.currentTarget.value })}
        />
      </label>
      {!fields.url.startsWith('mailto:') && (
        <label>
          Format
          <select
            value={fields.format}
            onChange={(event) => onChange({ format: event.currentTarget.value as Webhook['format'] })}
          >
            {Object.entries(formatNames).map(([format, label]) => (
              <option key={format} value={format}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Description
        <input value={fields.description} onInput={(event) => onChange({ description: event.currentTarget.value })} />
      </label>
      <Choices legend="Events" all={eventNames} values={fields.events} onChange={(events) => onChange({ events })} />
      <Choices
        legend="Question events include"
        all={includeNames}
        values={fields.include}
        onChange={(include) => onChange({ include })}
      />
      {!isNew && (
        <label class="check">
          <input
            type="checkbox"
            checked={!fields.enabled}
            onChange={(event) => onChange({ enabled: !event.currentTarget.checked })}
          />
          Disabled: no events are sent or queued
        </label>
      )}
    </>
  )
}

type ChoicesProps<Value extends string> = {
  legend: string
  all: Record<Value, string>
  values: Value[]
  onChange: (chosen: Value[]) => void
}

function Choices<Value extends string>({ legend, all, values, onChange }: ChoicesProps<Value>) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {(Object.entries(all) as [Value, string][]).map(([value, message]) => (
        <label key={value} class="check">
          <input
            type="checkbox"
            checked={values.includes(value)}
            onChange={(event) => onChange(toggleValue(all, values, value, event.currentTarget.checked))}
          />
          {message}
        </label>
      ))}
    </fieldset>
  )
}

import { Panel } from '../components/page/panel.tsx'
import { settings } from './conversation.ts'
import type { Settings } from './request.ts'
import { SaveAsPreset } from './save-preset.tsx'

const updateSettings = (changes: Partial<Settings>) => {
  settings.value = { ...settings.peek(), ...changes }
}

type NumberProps = {
  label: string
  name: 'temperature' | 'topP' | 'maxTokens'
  step: string
  max?: string
  hint: string
}

function NumberField({ label, name, step, max, hint }: NumberProps) {
  return (
    <label>
      {label}
      <input
        type="number"
        min="0"
        step={step}
        max={max}
        placeholder={hint}
        value={settings.value[name]}
        onInput={(event) => updateSettings({ [name]: event.currentTarget.value })}
      />
    </label>
  )
}

/** The request settings. Empty fields use the default of the model or the preset. */
export function SettingsPanel({ models, onClose }: { models: string[]; onClose: () => void }) {
  const { system, effort, additionalFields } = settings.value
  return (
    <Panel title="Request settings" onClose={onClose}>
      <div class="chat-settings">
        <label>
          System prompt
          <textarea
            rows={6}
            value={system}
            onInput={(event) => updateSettings({ system: event.currentTarget.value })}
          />
        </label>
        <div class="pair">
          <NumberField label="Temperature" name="temperature" step="0.1" max="2" hint="Default of the model" />
          <NumberField label="Top p" name="topP" step="0.05" max="1" hint="Default of the model" />
        </div>
        <div class="pair">
          <NumberField label="Max tokens" name="maxTokens" step="1" hint="Default of the model" />
          <label>
            Reasoning
            <select value={effort} onChange={(event) => updateSettings({ effort: event.currentTarget.value })}>
              <option value="">Default of the model</option>
              {['none', 'low', 'medium', 'high'].map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        </div>
        <label>
          Additional fields, as JSON
          <textarea
            class="mono"
            rows={5}
            spellcheck={false}
            placeholder={'{"tools": […], "provider": {"order": ["azure"]}}'}
            value={additionalFields}
            onInput={(event) => updateSettings({ additionalFields: event.currentTarget.value })}
          />
        </label>
        <SaveAsPreset models={models} />
      </div>
    </Panel>
  )
}

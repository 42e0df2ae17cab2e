import { useState } from 'preact/hooks'
import { ModelSearch } from '../components/form/model-picker.tsx'
import { dataRuleNames, dataRules } from '../components/policy/data-rules.ts'
import { Builtins, Patterns } from './filter-fields.tsx'
import { GroupLimits } from './group-limits.tsx'
import { type EditorProps, type Policy, zdrFields } from './policy.ts'

/** The form of a policy. Inputs are uncontrolled, so that typed text is not reformatted. */
export function Editor({ policy, onChange }: EditorProps) {
  const update = (part: Partial<Policy>) => onChange({ ...policy, ...part })
  return (
    <section class="guardrail-fields" aria-label="Policy">
      <h2>Policy</h2>
      <NameFields policy={policy} onChange={onChange} />
      <Limit policy={policy} onChange={onChange} />
      <GroupLimits policy={policy} onChange={onChange} />
      <List policy={policy} onChange={onChange} field="allowed_models" label="Allowed models" />
      <List policy={policy} onChange={onChange} field="ignored_models" label="Blocked models" />
      <List policy={policy} onChange={onChange} field="allowed_providers" label="Allowed providers" />
      <List policy={policy} onChange={onChange} field="ignored_providers" label="Blocked providers" />
      <Regions policy={policy} onChange={onChange} />
      <fieldset class="guardrail-checks">
        <legend>Data</legend>
        <Check
          label="Require zero data retention"
          isOn={policy.enforce_zdr === true}
          onChange={(isOn) => {
            const value = isOn || null
            update({ ...Object.fromEntries(zdrFields.map((field) => [field, value])), enforce_zdr: value })
          }}
        />
        {dataRuleNames.map((field) => (
          <Check
            key={field}
            label={dataRules[field].label}
            isOn={policy[field] === false}
            onChange={(isOn) => update({ [field]: isOn ? false : null })}
          />
        ))}
      </fieldset>
      <Builtins policy={policy} onChange={onChange} />
      <Patterns policy={policy} onChange={onChange} />
    </section>
  )
}

function NameFields({ policy, onChange }: EditorProps) {
  return (
    <>
      <label>
        <span>Name</span>
        <input
          defaultValue={policy.name}
          onInput={(event) => onChange({ ...policy, name: event.currentTarget.value })}
        />
      </label>
      <label>
        <span>Description</span>
        <input
          defaultValue={policy.description ?? ''}
          onInput={(event) => onChange({ ...policy, description: event.currentTarget.value || null })}
        />
      </label>
    </>
  )
}

/** The limit and its reset interval. Without a limit the interval is removed. */
function Limit({ policy, onChange }: EditorProps) {
  const { limit_usd, reset_interval } = policy
  const changeLimit = (text: string) => {
    const limit = Number(text)
    const isUnlimited = text.trim() === '' || Number.isNaN(limit)
    onChange({ ...policy, limit_usd: isUnlimited ? null : limit, reset_interval: isUnlimited ? null : reset_interval })
  }
  const changeInterval = (text: string) =>
    onChange({ ...policy, reset_interval: (text || null) as Policy['reset_interval'] })
  return (
    <fieldset>
      <legend>Limit</legend>
      <label class="guardrail-inline">
        <span>Maximum, USD</span>
        <input
          type="number"
          min="0"
          step="any"
          placeholder="no limit"
          defaultValue={limit_usd ?? ''}
          onInput={(event) => changeLimit(event.currentTarget.value)}
        />
      </label>
      <label class="guardrail-inline">
        <span>Resets</span>
        <select
          disabled={limit_usd === null}
          value={reset_interval ?? ''}
          onChange={(event) => changeInterval(event.currentTarget.value)}
        >
          <option value="">never</option>
          <option value="daily">daily</option>
          <option value="weekly">weekly</option>
          <option value="monthly">monthly</option>
        </select>
      </label>
      <Check
        label="Count spending on your own provider keys"
        isOn={policy.include_byok_in_budgets}
        onChange={(isOn) => onChange({ ...policy, include_byok_in_budgets: isOn })}
      />
    </fieldset>
  )
}

type ListField = 'allowed_models' | 'ignored_models' | 'allowed_providers' | 'ignored_providers'

/** A list with one item per line, or separated by commas. An empty list is null. */
function List({ policy, onChange, field, label }: EditorProps & { field: ListField; label: string }) {
  const update = (text: string) => {
    const items = [...new Set(text.split(/[\s,]+/).filter(Boolean))]
    onChange({ ...policy, [field]: items.length > 0 ? items : null })
  }
  const items = policy[field] ?? []
  /** Changes when the text must be filled again. */
  const [formVersion, setFormVersion] = useState(0)
  const add = (model: string) => {
    onChange({ ...policy, [field]: [...new Set([...items, model])] })
    setFormVersion((previous) => previous + 1)
  }
  return (
    <>
      <label>
        <span>{label}</span>
        <textarea
          key={formVersion}
          class="mono"
          rows={Math.min(6, Math.max(1, items.length))}
          placeholder={field.startsWith('allowed') ? 'Any. One per line' : 'None. One per line'}
          defaultValue={items.join('\n')}
          onInput={(event) => update(event.currentTarget.value)}
        />
      </label>
      {field.endsWith('_models') && (
        <div class="guardrail-search picker">
          <ModelSearch label={label} models={items} onAdd={add} />
        </div>
      )}
    </>
  )
}

const regions = { global: 'Global (no region)', europe: 'Europe', us: 'US' } as const

function Regions({ policy, onChange }: EditorProps) {
  const allowed = policy.allowed_data_regions ?? []
  const regionNames = Object.keys(regions) as (keyof typeof regions)[]
  const allow = (region: keyof typeof regions, isOn: boolean) => {
    const selected = regionNames.filter((one) => (one === region ? isOn : allowed.includes(one)))
    onChange({ ...policy, allowed_data_regions: selected.length > 0 ? selected : null })
  }
  return (
    <fieldset>
      <legend>Allowed regions</legend>
      {regionNames.map((region) => (
        <Check
          key={region}
          label={regions[region]}
          isOn={allowed.includes(region)}
          onChange={(isOn) => allow(region, isOn)}
        />
      ))}
    </fieldset>
  )
}

function Check({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label class="guardrail-inline">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}

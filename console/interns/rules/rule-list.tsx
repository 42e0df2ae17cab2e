import { useState } from 'preact/hooks'
import type { InternRule } from '../../api/types.ts'
import { onFirstClick } from '../../components/form/double-click.ts'
import { escapeInvisible } from '../visible-text.ts'
import { RuleFields } from './rule-fields.tsx'
import { describeRule, shadowingRule } from './rule-words.ts'

type Props = { rules: InternRule[]; onChange?: ((rules: InternRule[]) => void) | undefined }

/** Rules in order: the first match decides. @param props.onChange undefined for read-only lists. */
export function RuleList({ rules, onChange }: Props) {
  const [openIndex, setOpenIndex] = useState<number>()
  const swap = (from: number, to: number) => {
    setOpenIndex(undefined)
    onChange?.(rules.with(from, rules[to]!).with(to, rules[from]!))
  }
  return (
    <ol class="rules">
      {rules.map((rule, index) => {
        const number = index + 1
        const shadow = shadowingRule(rules, index)
        return (
          <li key={index}>
            <div class="rule-line">
              <p>
                <span class={`dot ${effectClasses[rule.effect]}`} />
                {rule.name && <b>{escapeInvisible(rule.name)} </b>}
                {escapeInvisible(describeRule(rule))}
                {shadow > 0 && <span class="warn"> Never applies: rule {shadow} matches everything.</span>}
              </p>
              {onChange && (
                <span class="intern-actions">
                  <button
                    type="button"
                    aria-label={`Move rule ${number} up`}
                    disabled={index === 0}
                    onClick={() => swap(index, index - 1)}
                  >
                    ↑
                  </button>
                  <button
                    type="button"
                    aria-label={`Move rule ${number} down`}
                    disabled={number === rules.length}
                    onClick={() => swap(index, number)}
                  >
                    ↓
                  </button>
                  <button
                    type="button"
                    aria-label={`Change rule ${number}`}
                    aria-expanded={openIndex === index}
                    onClick={() => setOpenIndex(openIndex === index ? undefined : index)}
                  >
                    Change
                  </button>
                  <button
                    type="button"
                    aria-label={`Remove rule ${number}`}
                    onClick={onFirstClick(() => {
                      setOpenIndex(undefined)
                      onChange(rules.toSpliced(index, 1))
                    })}
                  >
                    ✕
                  </button>
                </span>
              )}
            </div>
            {onChange && openIndex === index && (
              <RuleFields rule={rule} onChange={(next) => onChange(rules.with(index, next))} />
            )}
          </li>
        )
      })}
      {onChange && (
        <li class="rule-add">
          <button
            type="button"
            onClick={() => {
              onChange([...rules, { effect: 'ask' }])
              setOpenIndex(rules.length)
            }}
          >
            Add rule
          </button>
        </li>
      )}
    </ol>
  )
}

const effectClasses = { allow: 'ok', ask: 'warn', deny: 'bad' }

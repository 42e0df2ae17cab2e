import { posix } from 'node:path'
import { splitPattern } from './match-command.ts'
import { foldPath } from './match-path.ts'
import type { Rule } from './rule.ts'

/** The patterns of a rule in the form in which they are matched: commands as words, globs as names. */
type CompiledRule = { commands: string[][]; globs: string[][]; foldedGlobs: string[][] }

const compiledRules = new WeakMap<Rule, CompiledRule>()

/** Returns the patterns of a rule, which are split once. */
export function compileRule(rule: Rule): CompiledRule {
  const existing = compiledRules.get(rule)
  if (existing) return existing
  const { commands = [], paths = [] } = rule
  const compiled = {
    commands: commands.map(splitPattern),
    globs: paths.map(splitGlob),
    foldedGlobs: paths.map((glob) => splitGlob(foldPath(glob))),
  }
  compiledRules.set(rule, compiled)
  return compiled
}

const splitGlob = (glob: string) => posix.normalize(glob).split('/')

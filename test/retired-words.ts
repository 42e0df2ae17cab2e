/**
 * Words that named things here once and do not come back as names, and what to say instead. They are looked for in the
 * names of files and, word by word, in the identifiers of the code; not in its comments and texts.
 */
export const retiredWords: Record<string, string> = {
  allowance: 'resource limits',
  blame: 'skip, report',
  clockwork: 'pacing, clock',
  dearest: 'highest cost',
  desk: 'registry',
  door: 'HTTP server, socket',
  journal: 'request record',
  lapsed: 'expired',
  mender: 'rewriter',
  misfit: 'invalid value',
  outlet: 'response, response stream',
  pour: 'write, stream',
  purse: 'spending limits',
  ruling: 'policy decision',
  sayable: 'printable, plain, valid',
  saying: 'input',
  strike: 'kill',
  tending: 'pass, supervision',
  turnstile: 'mutex',
  unborn: 'new',
  ward: 'supervised intern',
  watchman: 'monitor',
  wire: 'provider protocol, client protocol, API',
  wished: 'requested, options',
  wishes: 'options',
}

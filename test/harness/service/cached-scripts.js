// Loaded before a process (`node --import`). Logs for each script whether V8 used its cached compiled code.
import { syncBuiltinESMExports } from 'node:module'
import vm from 'node:vm'

const { Script } = vm
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options)
    const outcome = { undefined: 'compiled', true: 'rejected', false: 'taken' }[String(this.cachedDataRejected)]
    process.stderr.write(`script: ${outcome}\n`)
  }
}
syncBuiltinESMExports()

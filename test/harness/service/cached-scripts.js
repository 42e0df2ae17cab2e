// Loaded before a process (`node --import`): says of each script whether it was run from what V8 had compiled before.
import { syncBuiltinESMExports } from 'node:module'
import vm from 'node:vm'

const { Script } = vm
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options)
    const told = { undefined: 'compiled', true: 'rejected', false: 'taken' }[String(this.cachedDataRejected)]
    process.stderr.write(`script: ${told}\n`)
  }
}
syncBuiltinESMExports()

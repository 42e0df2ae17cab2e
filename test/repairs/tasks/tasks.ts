import type { Task } from '../task.ts'
import { javascript } from './javascript.ts'
import { perl } from './perl.ts'
import { python } from './python.ts'
import { shell } from './shell.ts'

export const tasks: Task[] = [...javascript, ...python, ...shell, ...perl]

import { type ChildProcess, execFile } from 'node:child_process'
import path from 'node:path'
import { vi } from 'vitest'
import { root } from '../../scripts/conformance/contract.ts'
import { obey } from '../../server/operators/cli/program.ts'

/** What an operators' verb came to. */
export interface Run {
  code: number
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever was printed.
  json: any
  text: string
  /** What was printed as a result, whatever the exit code. */
  stdout: string
}

type Environment = Readonly<Record<string, string>>

const script = path.join(root, 'server/operators/cli/main.js')

/** Runs a verb as operators do: in a process of its own, with this environment alone. */
export function runVerb(environment: Environment, ...args: string[]): Promise<Run> {
  return runVerbIn(root, environment, ...args)
}

/** The same in a folder, for what depends on where an operator is. */
export function runVerbIn(cwd: string, environment: Environment, ...args: string[]): Promise<Run> {
  return new Promise((done) => {
    const child: ChildProcess = execFile(
      process.execPath,
      [script, ...args],
      { cwd, env: { PATH: process.env.PATH, ...environment } },
      (_error, stdout, stderr) => {
        done(asRun(child.exitCode ?? -1, stdout, stderr))
      },
    )
  })
}

/**
 * The same in this process, with its arguments, environment, output and exit code. Loading the modules is most of what a
 * verb takes, and what a verb decides does not depend on whose process it is.
 */
export async function runVerbHere(environment: Environment, ...args: string[]): Promise<Run> {
  const printed = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += String(text)
      return true
    }),
  )
  const { env, exitCode } = process
  process.env = { PATH: env.PATH, ...environment }
  process.exitCode = undefined
  try {
    await obey([process.execPath, script, ...args])
    return asRun(Number(process.exitCode ?? 0), printed.stdout, printed.stderr)
  } finally {
    Object.assign(process, { env, exitCode })
    for (const spy of spies) spy.mockRestore()
  }
}

function asRun(code: number, stdout: string, stderr: string): Run {
  const text = code === 0 ? stdout : stderr
  // An export is one line of JSON per record.
  const isOne = text.startsWith('{\n')
  return { code, text, stdout, json: isOne ? JSON.parse(text) : null }
}

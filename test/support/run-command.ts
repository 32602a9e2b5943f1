import { type ChildProcess, execFile } from 'node:child_process'
import path from 'node:path'
import { vi } from 'vitest'
import { root } from '../../scripts/conformance/walked-contract.ts'
import { runCli } from '../../server/operators/cli/program.ts'

/** The outcome of an operator command. */
export interface CommandResult {
  code: number
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on any printed value.
  json: any
  text: string
  /** The printed result, for any exit code. */
  stdout: string
}

type Environment = Readonly<Record<string, string>>

const script = path.join(root, 'server/operators/cli/main.js')

/** Runs an operator command in its own process, with only this environment. */
export function runCommand(environment: Environment, ...args: string[]): Promise<CommandResult> {
  return runCommandIn(root, environment, ...args)
}

/** Runs a command like `runCommand`, but in a folder. Used for commands that depend on the working directory. */
export function runCommandIn(cwd: string, environment: Environment, ...args: string[]): Promise<CommandResult> {
  return new Promise((done) => {
    const child: ChildProcess = execFile(
      process.execPath,
      [script, ...args],
      { cwd, env: { PATH: process.env.PATH, ...environment } },
      (_error, stdout, stderr) => {
        done(toResult(child.exitCode ?? -1, stdout, stderr))
      },
    )
  })
}

/**
 * Runs a command in this process, with its own arguments, environment, output, and exit code. This is faster, because a
 * command spends most of its time on loading modules.
 */
export async function runCommandInProcess(environment: Environment, ...args: string[]): Promise<CommandResult> {
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
    await runCli([process.execPath, script, ...args])
    return toResult(Number(process.exitCode ?? 0), printed.stdout, printed.stderr)
  } finally {
    Object.assign(process, { env, exitCode })
    for (const spy of spies) spy.mockRestore()
  }
}

function toResult(code: number, stdout: string, stderr: string): CommandResult {
  const text = code === 0 ? stdout : stderr
  // An export has several lines, each with the JSON of one record.
  const isOne = text.startsWith('{\n')
  return { code, text, stdout, json: isOne ? JSON.parse(text) : null }
}

import { spawn } from 'node:child_process'
import path from 'node:path'
import { root } from '../../scripts/conformance/walked-contract.ts'

/**
 * The mock in a separate process, as `npm run mock` starts it, so that its responses are not recorded as those of the
 * service.
 */
export interface RunningMock {
  url: string
  /** Returns the output of the mock so far. */
  said(): string
  stop(): Promise<void>
}

export function startMock(...options: string[]): Promise<RunningMock> {
  const child = spawn(process.execPath, [path.join(root, 'mock/main.ts'), '--port', '0', '--quiet', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Stops the mock when the test run ends for any reason.
  process.once('exit', () => child.kill())
  return new Promise((resolve, reject) => {
    let said = ''
    const listen = (chunk: string) => {
      said += chunk
      const url = /is running at (http:\S+) /.exec(said)?.[1]
      if (url !== undefined) resolve({ url, stop, said: () => said })
    }
    child.stdout.setEncoding('utf8').on('data', listen)
    child.stderr.setEncoding('utf8').on('data', listen)
    child.once('exit', (code) => reject(new Error(`The mock ended with ${code}: ${said}`)))
    const stop = () =>
      new Promise<void>((done) => {
        child.once('exit', () => done())
        child.kill()
      })
  })
}

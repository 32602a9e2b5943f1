import { spawn } from 'node:child_process'

/**
 * What the deployment's scanner says of a file: 0 is clean, 1 is not, as ClamAV and others have it. Everything else, and
 * no answer in time, is that it could not be said.
 */
export type Verdict = 'clean' | 'unclean' | 'unknown'

/** A program and its arguments; the path of the file follows as the last one. */
export type ScanCommand = readonly [program: string, ...args: string[]]

export function scanFile([program, ...args]: ScanCommand, path: string, withinMs: number): Promise<Verdict> {
  return new Promise((done) => {
    // No shell, so that nothing in a path or an argument is a command; and none of the service's secrets.
    const scanner = spawn(program, [...args, path], {
      ...{ shell: false, stdio: 'ignore', timeout: withinMs, killSignal: 'SIGKILL' },
      env: { PATH: process.env.PATH ?? '' },
    })
    scanner.once('error', () => done('unknown'))
    scanner.once('exit', (code) => done(code === 0 ? 'clean' : code === 1 ? 'unclean' : 'unknown'))
  })
}

/**
 * The words of a command, separated by spaces; in double quotes a word may contain some. Null if there is none, or a
 * quote has no end.
 */
export function scanCommandOf(text: string): ScanCommand | null {
  const words = [...text.matchAll(/"([^"]*)"|([^\s"]+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  const [program, ...args] = words
  const quotes = text.split('"').length - 1
  return program === undefined || program === '' || quotes % 2 === 1 ? null : [program, ...args]
}

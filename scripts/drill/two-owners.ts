import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Ledger } from '../crash/ledger.ts'
import { createBuilder, createUnlimitedEnvironment, startService } from '../processes/service.ts'
import type { Check } from './failover.ts'

/**
 * A command that runs a process in its own process ID namespace, as in a container. The process then always has the ID
 * 1.
 */
const ISOLATED_COMMAND = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child']

/**
 * Starts a second service on the data folder of a running service, like a second container on the same volume. Then
 * kills the first service and starts another one. This must succeed although the file that identifies the folder's
 * owner contains the ID of a running process.
 */
export async function testTwoOwners(check: Check): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-owners-'))
  try {
    await testSharedFolder(check, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function testSharedFolder(check: Check, folder: string): Promise<void> {
  const environment = createUnlimitedEnvironment({ DATA_DIR: folder })
  const { key } = await createBuilder(environment)
  const first = await startService(environment)
  const ledger = new Ledger(key)
  const load = ledger.write(first.url, 4)
  await ledger.untilMore(20)
  const command = [process.execPath, 'server/main.js']
  for (const [where, prefix] of [
    ['in the same place', []],
    ['in another container', ISOLATED_COMMAND],
  ] as const) {
    if (prefix.length > 0 && !canRunCommand(prefix)) {
      console.log(`       left out: a second owner ${where} (no unshare)`)
      continue
    }
    const second = await startService(environment, { command: [...prefix, ...command] }).catch((error: Error) => error)
    check(
      second instanceof Error && second.message.includes('is in use'),
      `a second owner ${where} does not start, and says why`,
    )
    if (!(second instanceof Error)) await second.kill()
  }
  await ledger.untilMore(20)
  await first.kill()
  ledger.stop()
  await load
  const acknowledged = ledger.acknowledged
  writeFileSync(path.join(folder, 'owner.pid'), `${process.pid}\n`)
  const next = await startService(environment)
  check(true, 'after the first owner was killed, another starts beside its stale owner.pid')
  const { lost, halves } = await ledger.compare(next.url)
  check(lost.length === 0, `${acknowledged} writes were acknowledged, ${lost.length} are lost`)
  check(halves.length === 0, `records and events belong together, ${halves.length} do not`)
  await next.stop()
}

function canRunCommand(prefix: readonly string[]): boolean {
  try {
    execFileSync(prefix[0] ?? '', [...prefix.slice(1), 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * Tests the procedures on which operators rely, on this machine. Each drill starts its own PostgreSQL, HAProxy, and
 * service processes on free ports of the loopback address, and stops all of them at the end. If a program that a drill
 * needs is missing, the drill reports this and is skipped.
 *
 *   npm run drill                     all drills
 *   npm run drill -- failover         drills whose names start with this word
 *   npm run drill -- upgrade --from v1.2.0
 *   npm run drill -- move --records 200000
 */

import { Command } from 'commander'
import { parseCount } from '../count-option.ts'
import { testCitus, testCitusBackup, testCitusUpgrade } from './citus.ts'
import { type Check, testFailover } from './failover.ts'
import { testMove } from './move.ts'
import { testRollback } from './rollback.ts'
import { testSilentProcess } from './silent-process.ts'
import { testTwoOwners } from './two-owners.ts'
import { testUpgrade } from './upgrade.ts'

const program = new Command('drill')
  .description('Test failovers, upgrades, a rollback, a move, Citus, and the lock on the data folder, on this machine.')
  .argument('[names...]', 'only the drills whose names begin with one of these words')
  .option(
    '--from <version>',
    'tag or commit to upgrade from, or to roll back to (default: this version with one more migration; the last release)',
  )
  .option('--records <number>', 'records that a move has besides the demo builder (default: none)', parseCount)
  .parse()
const { from, records } = program.opts<{ from?: string; records?: number }>()

const drills: { name: string; run(check: Check): Promise<void> }[] = [
  {
    name: 'failover to a synchronous replica',
    run: (check) => testFailover(check, { synchronous: true, silent: false }),
  },
  {
    name: 'failover to an asynchronous replica',
    run: (check) => testFailover(check, { synchronous: false, silent: false }),
  },
  {
    name: 'failover from a primary that no longer responds',
    run: (check) => testFailover(check, { synchronous: true, silent: true }),
  },
  { name: 'a process that no longer responds', run: testSilentProcess },
  { name: 'upgrade of one process after the other', run: (check) => testUpgrade(check, from) },
  { name: 'rollback to the last release, and forward again', run: (check) => testRollback(check, from) },
  { name: 'move from the embedded database to PostgreSQL', run: (check) => testMove(check, records) },
  { name: 'citus: a worker that fails, and shards that move', run: testCitus },
  { name: 'citus: upgrade of one process after the other', run: testCitusUpgrade },
  { name: 'citus: backup and restore of all nodes', run: testCitusBackup },
  { name: 'two-owners: two processes on one data folder', run: testTwoOwners },
]

// If the run is interrupted, the process must still exit normally, because this ends all processes that it started.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))

let [passed, failed] = [0, 0]
for (const { name, run } of drills) {
  if (program.args.length > 0 && !program.args.some((start) => name.startsWith(start))) continue
  console.log(`\n${name}`)
  const started = performance.now()
  const check: Check = (held, what) => {
    if (held) passed++
    else failed++
    console.log(`  ${held ? 'ok  ' : 'FAIL'} ${what}`)
  }
  await run(check).catch((error: unknown) => check(false, `it ended with ${(error as Error).stack}`))
  console.log(`  ${((performance.now() - started) / 1000).toFixed(1)} s`)
}
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

import type { Call } from '../../platform/calls/call.ts'
import { TenantSemaphore } from '../../platform/calls/tenant-semaphore.ts'
import { scanFile } from '../../platform/files/scan-file.ts'
import { validationFailed } from '../../platform/problems/problem.ts'

/** Scanning reads entire files and uses a full CPU core. */
const scanSemaphore = new TenantSemaphore({ of: 'file scans', most: 2, mostWaiting: 20, waitMs: 30_000 })

/** Throws unless the scanner of the deployment finds the file clean. Does nothing if there is no scanner. */
export async function assertFileClean(call: Call, path: string): Promise<void> {
  const { attachmentScan, attachmentScanMs, databaseStatementTimeoutMs } = call.services.config
  if (attachmentScan === null) return
  // A skill uploads a file within its transaction, and the database aborts transactions that are idle for too long.
  const withinMs = call.isWriting ? Math.min(attachmentScanMs, databaseStatementTimeoutMs / 2) : attachmentScanMs
  const verdict = await scanSemaphore.run(call.organizationId, () => scanFile(attachmentScan, path, withinMs))
  if (verdict === 'clean') return
  const [code, message] =
    verdict === 'unclean'
      ? ['notClean', 'was rejected by the virus scanner']
      : ['notScanned', 'could not be scanned for viruses; try again, and contact the operator if the error persists']
  throw validationFailed([{ pointer: '', code, message }])
}

import { pino } from 'pino'
import { createOrganization } from '../../domain/office/organizations/organizations.ts'
import { insertSandbox } from '../../domain/office/organizations/sandboxes.ts'
import { advanceCompliance } from '../../domain/vendors/compliance-documents/advance-compliance.ts'
import { createApp } from '../../interfaces/app.ts'
import { operations, repeats } from '../../interfaces/operations.ts'
import { createCall } from '../../platform/calls/call.ts'
import { type Contract, loadContract } from '../../platform/calls/contract.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Database } from '../../platform/database/database.ts'
import { createKey } from '../../platform/keys/keys.ts'
import { findUserPrincipal } from '../../platform/keys/principals.ts'
import { FailureLog } from '../../platform/problems/failure-log.ts'
import { Clock } from '../../platform/runtime/clock.ts'
import { addColleagues } from './colleagues.ts'
import { BUILDER } from './demo-world.ts'
import { Story } from './story.ts'
import { writeUsage } from './write-usage.ts'

/**
 * Creates the demo builder in one transaction. Calls the operations that its users would have called over the past
 * months, so that all rules and events of the service apply. Some data does not use the operations, such as the price
 * book.
 *
 * @returns the organization, and the secret of an API key with all permissions
 */
export async function createDemo(
  database: Database,
  config: Config,
  contract: Contract = loadContract(),
): Promise<{ organizationId: string; key: string }> {
  const today = new Clock()
  const { organization, owner } = await createOrganization(database, today, {
    name: BUILDER.name,
    currency: BUILDER.currency,
    timeZone: BUILDER.timeZone,
    ownerName: BUILDER.owner.name,
    ownerEmail: BUILDER.owner.email,
    most: config.betaMaxOrganizations,
  })
  const people = await addColleagues(database, today, organization.id)
  people.set(BUILDER.owner.email, owner.id)
  const { id: keyId, secret } = await createKey(database, today, {
    organizationId: organization.id,
    userId: owner.id,
    name: 'Demo',
    // The API key never expires, because users may try the demo at any time.
    expiresAt: null,
  })

  const log = pino({ level: 'silent' })
  const app = createApp({
    ...{ config, contract, handlers: operations, repeats, database, clock: today, log },
    failures: new FailureLog(database, log),
    // Does nothing, because the service looks for recorded events when it starts.
    eventsCommitted() {},
    deliveriesDue() {},
  })
  const principal = await findUserPrincipal(database.statements, organization.id, owner.id)
  const call = createCall(app.services, { principal, requestId: 'demo', address: null })
  await call.write((inside) => new Story(call, people).tell(inside))
  // This step detects insurance that has expired in the meantime or is about to expire.
  await advanceCompliance(app.services)
  await writeUsage(database, today, { organizationId: organization.id, keyId })
  // Makes the organization a sandbox, so that the owner can empty it to try the first steps, and fill it again.
  await insertSandbox(database.statements, organization.id, 'filled', new Date(organization.createdAt))
  await app.limits.stop()
  await app.usage.stop()
  return { organizationId: organization.id, key: secret }
}

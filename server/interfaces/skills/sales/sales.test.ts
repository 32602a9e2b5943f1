import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk } from '../../../../test/support/desk.ts'

/**
 * Three homes have a price of 300,000. Lot 1 is sold with a patio, the sale of Lot 2 awaits approval, and Lot 3 is
 * available. The patio (price 3,000, cost 2,000) requires a slab, which was not selected. The decision about the stairs
 * was due yesterday.
 */
let desk: Desk
let lot1: string
beforeAll(async () => {
  desk = await Desk.open()
  const { id: communityId } = await desk.post('/communities', { name: 'Juniper Ridge', code: 'JR', status: 'active' })
  const homes = []
  for (const name of ['Lot 1', 'Lot 2', 'Lot 3'])
    homes.push((await desk.post('/homes', { name, communityId, basePrice: 300_000 })).id)
  const [first, second] = homes
  lot1 = first
  const option = async (code: string, more: object = {}) => {
    const { id } = await desk.post('/options', {
      code,
      name: code,
      optionType: 'structural',
      price: 3000,
      costBasis: 'fixed',
      cost: 2000,
      scope: 'framing',
      ...more,
    })
    await desk.move(`/options/${id}`, 'active')
    return id
  }
  const slab = await option('SLAB')
  const patio = await option('PATIO')
  const chosen = await desk.post(`/homes/${lot1}/selections`, { optionId: patio })
  await desk.move(`/selections/${chosen.id}`, 'approved')
  await desk.plumbline.patch(`/api/ext/options/${patio}`, { requiresOptionIds: [slab] }, { key: desk.builder.key })
  await desk.post(`/homes/${lot1}/selections`, {
    customDescription: 'Open stair',
    unitPrice: 500,
    scope: 'framing',
    deadline: desk.day(1),
  })
  await desk.post('/tasks', { homeId: lot1, name: 'Walls framed', scope: 'framing', plannedStart: desk.day(9) })
  const sale = await desk.post('/sales', {
    buyers: [{ name: 'Elena Marsh' }],
    homeId: lot1,
    targetCloseDate: '2099-03-15',
    commissionPercent: 3,
  })
  await desk.post(`/sales/${sale.id}/approve`)
  await desk.post('/sales', { buyers: [{ name: 'Sam Okafor' }], homeId: second })
  await desk.post('/leads', { lastName: 'Quiet', email: 'quiet@example.com', source: 'website' })
  desk.plumbline.clock.advance(2 * 86_400_000)
}, 60_000)
afterAll(() => desk.plumbline.stop())

test('salesPipelineReport counts leads, sales stages, and sales per week', async () => {
  const report = await desk.run('salesPipelineReport', { from: desk.day(-6) })
  expect(report).toMatchObject({
    leads: [{ status: 'new', count: 1 }],
    stages: [{ stage: 'contract_signed', count: 2, value: 603_000, commission: 9090, meanDaysInStage: 2 }],
    ...{
      leadsCreated: 1,
      leadsConverted: 0,
      conversionPercent: 0,
      sold: 2,
      cancelled: 0,
      absorptionPerWeek: 2,
      commissionEarned: 0,
    },
  })
})

test('backlogReport contains only approved sales that have not closed', async () => {
  expect(await desk.run('backlogReport', { communityId: 'JR' })).toMatchObject({
    ...{ count: 1, value: 303_000, months: [{ month: '2099-03', count: 1, value: 303_000 }] },
    sales: [{ home: 'Lot 1, Juniper Ridge', price: 303_000, expectedClose: '2099-03-15', stage: 'contract_signed' }],
  })
})

test('staleLeads lists leads without recent activity', async () => {
  expect((await desk.run('staleLeads', { days: 1 })).leads).toMatchObject([{ name: 'Quiet', daysSince: 2 }])
  expect((await desk.run('staleLeads')).leads).toEqual([])
})

test('optionPopularity returns the take rate and the margin of each option', async () => {
  expect(await desk.run('optionPopularity')).toMatchObject({
    homes: 2,
    options: [
      { option: 'PATIO PATIO', taken: 1, offered: 2, takePercent: 50, revenue: 3000, cost: 2000, marginPercent: 33.33 },
      { option: 'SLAB SLAB', taken: 0, takePercent: 0, marginPercent: null },
    ],
  })
})

test('validateSelections and overdueSelections list the problems of selections', async () => {
  const { problems, checked } = await desk.run('validateSelections', { homeId: 'Lot 1' })
  expect(checked).toBe(2)
  expect(problems.map(({ problem, selection }: Record<string, string>) => [problem, selection])).toEqual([
    ['requires_missing', 'PATIO PATIO'],
    ['past_deadline', 'Open stair'],
  ])
  const { selections } = await desk.run('overdueSelections')
  expect(selections).toMatchObject([{ homeId: lot1, selection: 'Open stair', daysOverdue: 1, task: 'Walls framed' }])
})

test('backlogReport includes a home that closed after the asOf date', async () => {
  const { id: communityId } = await desk.post('/communities', { name: 'Cedar Bend', code: 'CB', status: 'active' })
  const sold = async (name: string, price: number) => {
    const { id: homeId } = await desk.post('/homes', { name, communityId, basePrice: price })
    const sale = await desk.post('/sales', { buyers: [{ name: 'Ana Ruiz' }], homeId })
    await desk.post(`/sales/${sale.id}/approve`)
    return homeId
  }
  const before = desk.day(-1)
  await sold('Lot 8', 300_000)
  const closed = await sold('Lot 9', 350_000)
  const approved = desk.day(0)
  desk.plumbline.clock.advance(40 * 86_400_000)
  const statuses = ['permitting', 'ready_to_start', 'under_construction', 'completed', 'closed']
  const task = await desk.post('/tasks', {
    homeId: closed,
    name: 'Walls framed',
    scope: 'framing',
    plannedStart: desk.day(9),
  })
  await desk.post(`/homes/${closed}/budget/lines`, { scope: 'framing', amount: 1 })
  await desk.post(`/homes/${closed}/budget/lock`)
  for (const status of statuses) {
    if (status === 'completed') await desk.post(`/tasks/${task.id}/status`, { status: 'skipped' })
    const override = status === 'closed' ? { overrideReason: 'The sale is complete elsewhere.' } : {}
    await desk.post(`/homes/${closed}/status`, { status, ...override })
  }
  const backlog = async (asOf: string) => {
    const { count, value } = await desk.run('backlogReport', { communityId: 'CB', asOf })
    return [count, value]
  }
  expect(await backlog(desk.day(0))).toEqual([1, 300_000])
  expect(await backlog(approved)).toEqual([2, 650_000])
  expect(await backlog(before)).toEqual([0, 0])
})

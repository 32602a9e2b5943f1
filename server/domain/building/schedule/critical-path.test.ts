import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PRODUCTION_HOME } from '../../../../test/support/production-home.ts'
import { computeCriticalPath, type Position } from './critical-path.ts'
import type { Activity, Link, LinkType } from './network.ts'

type Row = readonly [name: string, duration: number, predecessors: string]

/** Returns activities from rows in which predecessors have the form `name:TYPE+lag`, separated by semicolons. */
function network(rows: readonly Row[]): Activity[] {
  const places = new Map(rows.map(([name], place) => [name, place]))
  return rows.map(([, duration, predecessors]) => ({
    ...{ start: 'open', duration, end: null, at: predecessors === '' ? 0 : null },
    links: predecessors
      .split(';')
      .filter(Boolean)
      .map((text): Link => {
        const [, name = '', type = 'FS', lag = '0'] = /^(.+?)(?::(FS|SS|FF|SF)([+-]\d+)?)?$/.exec(text) ?? []
        return { from: places.get(name) ?? -1, type: type as LinkType, lag: Number(lag) }
      }),
  }))
}

function getPositions(activities: readonly Activity[]): Position[] {
  const scheduled = computeCriticalPath(activities)
  if ('ring' in scheduled) throw new Error(`There is a ring: ${scheduled.ring.join()}`)
  return scheduled.positions
}

const endOf = (positions: readonly Position[]) => Math.max(...positions.map(({ finish }) => finish))

function byName(rows: readonly Row[]): Map<string, Position> {
  const positions = getPositions(network(rows))
  return new Map(rows.map(([name], place) => [name, positions[place] as Position]))
}

const floats = (rows: readonly Row[]) => [...byName(rows)].map(([name, { float }]) => `${name}${float}`).join(' ')

describe('published examples', () => {
  test('the Reliable Construction Company example takes 44 weeks (Hillier and Lieberman, Introduction to Operations Research)', () => {
    const rows: Row[] = [
      ...([
        ['A', 2, ''],
        ['B', 4, 'A'],
        ['C', 10, 'B'],
        ['D', 6, 'C'],
        ['E', 4, 'C'],
        ['F', 5, 'E'],
      ] as const),
      ...([
        ['G', 7, 'D'],
        ['H', 9, 'E;G'],
        ['I', 7, 'C'],
        ['J', 8, 'F;I'],
        ['K', 4, 'J'],
        ['L', 5, 'J'],
      ] as const),
      ...([
        ['M', 2, 'H'],
        ['N', 6, 'K;L'],
      ] as const),
    ]
    const positions = byName(rows)
    expect(endOf([...positions.values()])).toBe(44)
    expect(floats(rows)).toBe('A0 B0 C0 D4 E0 F0 G4 H4 I2 J0 K1 L0 M4 N0')
    expect(positions.get('D')).toMatchObject({ start: 16, finish: 22, lateStart: 20, lateFinish: 26 })
    expect(positions.get('M')).toMatchObject({ start: 38, finish: 40, lateStart: 42, lateFinish: 44 })
  })

  test('the Milwaukee Paper filter example takes 15 weeks (Heizer and Render, Operations Management)', () => {
    const rows: Row[] = [
      ...([
        ['A', 2, ''],
        ['B', 3, ''],
        ['C', 2, 'A'],
        ['D', 4, 'A;B'],
        ['E', 4, 'C'],
        ['F', 3, 'C'],
      ] as const),
      ...([
        ['G', 5, 'D;E'],
        ['H', 2, 'F;G'],
      ] as const),
    ]
    expect(endOf([...byName(rows).values()])).toBe(15)
    expect(floats(rows)).toBe('A0 B1 C0 D1 E0 F6 G0 H0')
  })
})

test('the critical path of a production home has 56 of 101 tasks and takes 116 workdays', () => {
  const positions = byName(PRODUCTION_HOME)
  expect(positions.size).toBe(101)
  expect(endOf([...positions.values()])).toBe(116)
  expect([...positions.values()].filter(({ float }) => float === 0)).toHaveLength(56)
  for (const [name, first, last] of [
    ...([
      ['Start file released', 1, 0],
      ['Permit issued', 7, 18],
      ['Pad graded', 21, 23],
    ] as const),
    ...([
      ['Termite pretreatment', 30, 30],
      ['Slab poured', 33, 33],
      ['Lumber package delivered', 38, 38],
    ] as const),
    ...([
      ['Roof trusses delivered', 44, 44],
      ['Wall sheathing and wrap', 46, 47],
      ['Roof sheathed', 47, 48],
    ] as const),
    ...([
      ['Electrical rough-in', 58, 61],
      ['Trim and doors delivered', 79, 79],
      ['Cabinets set', 84, 85],
    ] as const),
    ...([
      ['Countertops set', 95, 95],
      ['Carpet laid', 100, 100],
      ['Punch list worked', 106, 110],
    ] as const),
    ...([
      ['Closing documents signed', 116, 116],
      ['Home closed', 117, 116],
    ] as const),
  ]) {
    const { start, finish, float } = positions.get(name) ?? {}
    expect([name, start, finish, float]).toEqual([name, first - 1, last, 0])
  }
})

describe('started, done, and fixed activities', () => {
  const walls = (fields: Partial<Activity>): Activity[] => {
    const open: Activity = { start: 'open', duration: 5, at: 0, end: null, links: [] }
    const following = { ...open, duration: 3, at: null, links: [{ from: 0, type: 'FS' as const, lag: 0 }] }
    return [open, { ...following, ...fields }, { ...following, duration: 1, links: [{ from: 1, type: 'FS', lag: 0 }] }]
  }
  const spans = (activities: readonly Activity[]) =>
    getPositions(activities).map(({ start, finish, float }) => [start, finish, float])

  test('an activity with a fixed start does not wait for its predecessors but gives them negative float', () => {
    expect(spans(walls({ start: 'fixed', at: 3 }))).toEqual([
      [0, 5, -2],
      [3, 6, 0],
      [6, 7, 0],
    ])
  })

  test('an activity with a held start does not reduce the float of its predecessors', () => {
    expect(spans(walls({ start: 'held', at: 3 }))).toEqual([
      [0, 5, 2],
      [3, 6, 0],
      [6, 7, 0],
    ])
  })

  test('links can delay only the end of a started activity', () => {
    expect(spans(walls({ start: 'started', at: 2 }))).toEqual([
      [0, 5, 1],
      [2, 5, 0],
      [5, 6, 0],
    ])
    const held = walls({ start: 'started', at: 2, links: [{ from: 0, type: 'FF', lag: 2 }] })
    expect(spans(held)).toEqual([
      [0, 5, 0],
      [2, 7, 0],
      [7, 8, 0],
    ])
  })

  test('a completed activity that ended early allows its successors to start earlier', () => {
    expect(spans(walls({ start: 'done', at: 1, end: 2 }))).toEqual([
      [0, 5, 0],
      [1, 2, 0],
      [2, 3, 2],
    ])
  })
})

test('the activities of a circular dependency are returned in the order in which they wait for each other', () => {
  const rows: Row[] = [
    ['A', 1, ''],
    ['B', 1, 'A;D:SS+2'],
    ['C', 1, 'B'],
    ['D', 1, 'C'],
    ['E', 1, 'D'],
  ]
  const scheduled = computeCriticalPath(network(rows))
  const ring = 'ring' in scheduled ? scheduled.ring.map((place) => rows[place]?.[0]) : []
  expect([...ring].sort()).toEqual(['B', 'C', 'D'])
  for (const [i, name] of ring.entries()) {
    const next = ring[(i + 1) % ring.length] ?? ''
    expect(rows.find(([own]) => own === name)?.[2]).toContain(next)
  }
})

describe('random networks', () => {
  const anyLink = (to: number) =>
    fc.record({
      from: fc.nat(to - 1),
      type: fc.constantFrom<LinkType>('FS', 'SS', 'FF', 'SF'),
      lag: fc.integer({ min: -6, max: 8 }),
    })
  const anyActivity = (place: number, kinds: readonly Activity['start'][]) =>
    fc
      .record({
        start: fc.constantFrom(...kinds),
        duration: fc.nat(9),
        at: fc.nat(30),
        length: fc.nat(5),
        links: place === 0 ? fc.constant<Link[]>([]) : fc.array(anyLink(place), { maxLength: 4 }),
      })
      .map(({ length, ...rest }): Activity => ({ ...rest, end: rest.start === 'done' ? rest.at + length : null }))
  // Shuffles the activities, because their order in the list must not matter.
  const anyNetwork = (kinds: readonly Activity['start'][]) =>
    fc
      .integer({ min: 1, max: 14 })
      .chain((size) =>
        fc.tuple(
          fc.tuple(...Array.from({ length: size }, (_, place) => anyActivity(place, kinds))),
          fc.shuffledSubarray([...Array(size).keys()], { minLength: size, maxLength: size }),
        ),
      )
      .map(([activities, places]) =>
        places.map((place) => {
          const activity = activities[place] as Activity
          return { ...activity, links: activity.links.map((link) => ({ ...link, from: places.indexOf(link.from) })) }
        }),
      )

  test('in a random network, the computed dates equal the dates found by moving activities until every link is satisfied', () => {
    const all = ['open', 'open', 'open', 'open', 'fixed', 'held', 'started', 'done'] as const
    const property = fc.property(anyNetwork(all), (activities) => {
      const found = getPositions(activities).map(({ driver: _, ...position }) => position)
      expect(found).toEqual(settled(activities))
    })
    fc.assert(property, { numRuns: 1500 })
  })

  test('in a random network, a slip delays the end only if it exceeds the float of its activity', () => {
    const property = fc.property(anyNetwork(['open']), fc.nat(), (activities, which) => {
      const place = which % activities.length
      const positions = getPositions(activities)
      const { start, float } = positions[place] as Position
      const endIfAt = (at: number) =>
        endOf(getPositions(activities.map((activity, i) => (i === place ? { ...activity, at } : activity))))
      expect(endIfAt(start + float)).toBe(endOf(positions))
      expect(endIfAt(start + float + 1)).toBe(endOf(positions) + 1)
    })
    fc.assert(property, { numRuns: 1000 })
  })
})

/**
 * Computes the positions in a different way: moves each activity as far as its links require, until no activity moves.
 */
function settled(activities: readonly Activity[]): Omit<Position, 'driver'>[] {
  const started = ({ start }: Activity) => start === 'started' || start === 'done'
  const early = activities.map(({ at, end, duration }) => ({ start: at ?? 0, finish: end ?? (at ?? 0) + duration }))
  const links = activities.flatMap((to, place) => to.links.map((link) => ({ ...link, to, place, one: link.from })))
  const isAtFinish = { FS: false, SS: false, FF: true, SF: true }
  const isFromStart = { FS: false, SS: true, FF: false, SF: true }
  for (let moved = true; moved; ) {
    moved = false
    for (const { type, lag, to, place, one } of links) {
      const [pre, own] = [early[one], early[place]]
      if (pre === undefined || own === undefined || ['done', 'fixed', 'held'].includes(to.start)) continue
      const missing = (isFromStart[type] ? pre.start : pre.finish) + lag - (isAtFinish[type] ? own.finish : own.start)
      if (missing <= 0 || (to.start === 'started' && !isAtFinish[type])) continue
      if (to.start !== 'started') own.start += missing
      own.finish += missing
      moved = true
    }
  }
  const end = Math.max(...early.map(({ finish }) => finish))
  const late = early.map(({ start, finish }, place) => {
    const how = activities[place]?.start
    return { start, finish, float: how === 'done' || how === 'fixed' ? 0 : end - finish }
  })
  for (let moved = true; moved; ) {
    moved = false
    for (const { type, lag, to, one, place } of links) {
      const [pre, own, from] = [late[one], late[place], activities[one]]
      if (pre === undefined || own === undefined || from === undefined) continue
      if (from.start === 'done' || to.start === 'done' || to.start === 'held') continue
      if ((to.start === 'started' && !isAtFinish[type]) || (started(from) && isFromStart[type])) continue
      const room =
        (isAtFinish[type] ? own.finish : own.start) +
        own.float -
        lag -
        (isFromStart[type] ? pre.start : pre.finish) -
        pre.float
      if (room >= 0) continue
      pre.float += room
      moved = true
    }
  }
  return late.map(({ start, finish, float }) => ({
    ...{ start, finish, float },
    ...{ lateStart: start + float, lateFinish: finish + float },
  }))
}

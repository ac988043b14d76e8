import { Counter, Gauge, Histogram, Registry } from 'prom-client'

export type RelayMetrics = ReturnType<typeof createRelayMetrics>

interface SpoolGauges {
  readonly bytes: number
  readonly events: number
  readonly unpublished: number
  readonly backlogMs: number
}

/** Metrics of one relay in a registry of its own. The gauges of the spool are read when metrics are requested. */
export function createRelayMetrics(spool: () => SpoolGauges | undefined) {
  const registry = new Registry()
  const registers = [registry]
  const gauge = (name: string, help: string, value: (gauges: SpoolGauges) => number) =>
    new Gauge({
      ...{ name, help, registers },
      collect() {
        const gauges = spool()
        if (gauges !== undefined) this.set(value(gauges))
      },
    })
  gauge('callyard_relay_spool_bytes', 'Size of the spool', ({ bytes }) => bytes)
  gauge('callyard_relay_spool_events', 'Events in the spool, published or not', ({ events }) => events)
  gauge(
    'callyard_relay_spool_unpublished',
    'Events that JetStream has not acknowledged',
    gauges => gauges.unpublished,
  )
  gauge(
    'callyard_relay_spool_backlog_seconds',
    'Age of the oldest event that JetStream has not acknowledged, half a minute too long at most',
    ({ backlogMs }) => backlogMs / 1000,
  )
  return {
    registry,
    received: new Counter({
      ...{ name: 'callyard_relay_received_total', help: 'Deliveries acknowledged with 200', registers },
    }),
    rejected: new Counter({
      ...{ name: 'callyard_relay_rejected_total', help: 'Requests rejected, by status', registers },
      labelNames: ['status'],
    }),
    published: new Counter({
      ...{ name: 'callyard_relay_published_total', help: 'Messages acknowledged by JetStream', registers },
    }),
    duplicates: new Counter({
      ...{
        name: 'callyard_relay_duplicates_total',
        help: 'Of these, messages that it already had',
        registers,
      },
    }),
    connected: new Gauge({
      ...{ name: 'callyard_relay_connected', help: '1 while the broker is connected', registers },
    }),
    publishSeconds: new Histogram({
      ...{ name: 'callyard_relay_publish_seconds', help: 'Time until JetStream acknowledged', registers },
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    }),
  }
}

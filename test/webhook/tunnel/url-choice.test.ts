import { expect, test } from 'vitest'
import { createUrlChoice } from '../../../src/webhook/tunnel/tunnel-life.ts'

function choose(...urls: readonly string[]) {
  const choice = createUrlChoice()
  const news = urls.map(url => choice.add(url))
  return { best: choice.best, others: choice.others, news }
}

test.each([
  [['https://docs.example.test', 'https://a.example.test'], 'https://a.example.test'],
  [['https://a.example.test', 'http://b.example.test'], 'https://a.example.test'],
  [['http://a.example.test', 'http://127.0.0.1:4040'], 'http://a.example.test'],
  [['https://localhost:4040', 'http://a.example.test'], 'http://a.example.test'],
  [
    ['https://docs.example.test', 'http://a.example.test', 'https://a.example.test'],
    'https://a.example.test',
  ],
  // A page of the tunnel's own host is not another host.
  [['https://a.example.test', 'https://a.example.test/inspect'], 'https://a.example.test'],
  // What is printed over and over keeps its place.
  [
    ['https://docs.example.test', 'https://a.example.test', 'https://docs.example.test'],
    'https://a.example.test',
  ],
])('of %j', (urls, best) => expect(choose(...urls).best).toBe(best))

test('the others are those of other hosts that are not this machine', () => {
  expect(
    choose(
      'https://docs.example.test/help',
      'http://127.0.0.1:4040',
      'http://a.example.test',
      'http://old.example.test',
      'https://a.example.test',
    ).others,
  ).toEqual(['https://docs.example.test/help', 'http://old.example.test'])
  expect(choose('https://a.example.test', 'https://a.example.test/x').others).toEqual([])
})

test('only a host, or https of it, is new', () => {
  const { news } = choose(
    'http://a.example.test',
    'http://a.example.test/x',
    'https://a.example.test',
    'https://a.example.test',
    'http://a.example.test',
  )
  expect(news).toEqual([true, false, true, false, false])
})

test('of ever new hosts keeps only a few', () => {
  const { news, others } = choose(
    ...Array.from({ length: 1000 }, (_, index) => `https://a${index}.example.test`),
  )
  expect(news.filter(isNew => isNew)).toHaveLength(20)
  expect(others).toHaveLength(19)
})

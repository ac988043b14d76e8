/** The text of every topic: at most 60 lines of 80 columns. */
export { default as topicTexts } from './topics?texts'
